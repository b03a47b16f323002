/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.SingleThreadEventLoop;

/**
 * Writes of many threads go to the socket together. Each thread requests a flush after its command; while further tasks
 * wait for the event loop, which are most likely more commands, the flush waits behind them and serves all. A system
 * call for each command would cost more than all other work for it.
 */
final class FlushConsolidator extends ChannelOutboundHandlerAdapter {

    /** After this number, Redis begins with these commands while the others are still being written. */
    static final int MOST = 16;

    private boolean scheduled;

    private int waiting;

    /** Adds one to each connection, and keeps the application's own customization. */
    static NettyCustomizer after(NettyCustomizer application) {
        return new ChannelCustomizer(channel -> channel.pipeline().addLast(new FlushConsolidator()), application);
    }

    /** Runs on the event loop. */
    @Override
    public void flush(ChannelHandlerContext context) {
        if (scheduled) {
            if (++waiting >= MOST) {
                waiting = 0;
                context.flush();
            }
            return;
        }
        if (context.executor() instanceof SingleThreadEventLoop loop && loop.pendingTasks() > 0) {
            scheduled = true;
            waiting = 1;
            loop.execute(() -> {
                scheduled = false;
                context.flush();
            });
        } else {
            context.flush();
        }
    }
}
