/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import org.apache.commons.logging.Log;

/**
 * Closes a connection whose server replies after a silence, without reading the reply. A master of a cluster that was
 * stopped for that long may have been replaced. When it resumes, it executes the requests in its sockets before it
 * detects that, and such a grant is not valid. The commands are sent again under the same ids, after a reconnect.
 */
final class StaleMasterGuard extends ChannelDuplexHandler {

    private static final Log log = SafeLog.of(StaleMasterGuard.class);

    private final long limit;

    private boolean waiting;

    private long since;

    StaleMasterGuard(Duration limit) {
        this.limit = limit.toNanos();
    }

    /** Adds one at the head of each pipeline, and keeps the application's own customization. */
    static NettyCustomizer before(Duration limit, NettyCustomizer application) {
        return new ChannelCustomizer(channel -> channel.pipeline().addFirst(new StaleMasterGuard(limit)), application);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!waiting) {
            waiting = true;
            since = now(context);
        }
        context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (waiting && now(context) - since > limit) {
            ReferenceCountUtil.release(message);
            log.debug("Redis at " + context.channel().remoteAddress() + " replies after a silence; locks use a new"
                    + " connection");
            context.close();
            return;
        }
        waiting = false;
        context.fireChannelRead(message);
    }

    private static long now(ChannelHandlerContext context) {
        return context.executor().ticker().nanoTime();
    }
}
