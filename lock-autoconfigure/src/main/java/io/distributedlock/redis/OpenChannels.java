/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The sockets of one instance, so that they can be replaced. An address may lead to another server than before, for
 * example after a failover behind a proxy or a service name, while the connections still lead to the former one.
 * Lettuce opens a new socket for each one that is closed.
 */
final class OpenChannels {

    /** After that, {@link #replace} closes them again. */
    static final long LONGEST_PAUSE_MILLIS = 2_000;

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();

    private final LongSupplier clock;

    private final AtomicLong notBefore;

    OpenChannels(LongSupplier clock) {
        this.clock = clock;
        this.notBefore = new AtomicLong(clock.getAsLong());
    }

    /** Tracks each connection while it is open, and keeps the application's own customization. */
    NettyCustomizer before(NettyCustomizer application) {
        return new ChannelCustomizer(this::add, application);
    }

    private void add(Channel channel) {
        open.add(channel);
        channel.closeFuture().addListener(closed -> open.remove(channel));
    }

    /**
     * Closes all of them, at most once in one to two seconds, so that a server that remains the wrong one is not
     * contacted more often.
     *
     * @return whether they were closed
     */
    boolean replace() {
        long now = clock.getAsLong();
        long limit = notBefore.get();
        long next = now + SHORTEST_PAUSE_NANOS + ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS);
        if (now - limit < 0 || !notBefore.compareAndSet(limit, next)) {
            return false;
        }
        closeAll();
        return true;
    }

    /** Closes all of them at once, including those that are being opened. */
    void closeAll() {
        open.forEach(Channel::close);
    }
}
