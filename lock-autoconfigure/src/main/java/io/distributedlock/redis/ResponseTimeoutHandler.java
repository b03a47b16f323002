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
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that receives no data although a command was sent, so that Lettuce opens a new one. If a peer
 * disappears without closing it, for example after a failover of addresses, a socket stays open for a quarter of an
 * hour by TCP's own rules; TCP_USER_TIMEOUT, which shortens that, requires a native transport. An idle connection has
 * no timer.
 */
final class ResponseTimeoutHandler extends ChannelDuplexHandler {

    private static final Log log = SafeLog.of(ResponseTimeoutHandler.class);

    /** After a pause of this process, the socket may contain a reply that the event loop has not read yet. */
    private static final long LAST_ROUNDS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long limit;

    private boolean waiting;

    private boolean lastRounds;

    private long since;

    private @Nullable Future<?> look;

    ResponseTimeoutHandler(Duration limit) {
        this.limit = limit.toNanos();
    }

    /** Adds one at the head of each pipeline, where it gets bytes, and keeps the application's own customization. */
    static NettyCustomizer before(Duration limit, NettyCustomizer application) {
        return new ChannelCustomizer(
                channel -> channel.pipeline().addFirst(new ResponseTimeoutHandler(limit)), application);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (!waiting) {
            waiting = true;
            since = now(context);
            if (look == null) {
                lookAfter(context, limit);
            }
        }
        context.write(message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        waiting = false;
        lastRounds = false;
        context.fireChannelRead(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (look != null) {
            look.cancel(false);
            look = null;
        }
    }

    private void lookAfter(ChannelHandlerContext context, long delay) {
        look = context.executor().schedule(() -> look(context), delay, TimeUnit.NANOSECONDS);
    }

    private void look(ChannelHandlerContext context) {
        look = null;
        if (!waiting || !context.channel().isActive()) {
            return;
        }
        long left = limit - (now(context) - since);
        if (left > 0) {
            lookAfter(context, left);
        } else if (!lastRounds) {
            lastRounds = true;
            lookAfter(context, LAST_ROUNDS_NANOS);
        } else {
            log.debug("Redis at " + context.channel().remoteAddress() + " has sent no reply for "
                    + TimeUnit.NANOSECONDS.toMillis(limit) + " ms; locks use a new connection");
            context.close();
        }
    }

    private static long now(ChannelHandlerContext context) {
        return context.executor().ticker().nanoTime();
    }
}
