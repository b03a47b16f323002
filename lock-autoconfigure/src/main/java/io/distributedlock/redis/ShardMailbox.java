/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The channel of this instance in one shard of a cluster, and whether it is subscribed. */
final class ShardMailbox {

    /**
     * A subscription is repeated as often as this, in every other check: the reply shows that the server is available
     * and still has the slot. As often as the clocks are read, since {@link StaleMasterGuard} measures the silence of a
     * server from the first request without a reply: a grant of a master that was frozen and replaced must not arrive.
     */
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /** An attempt without a reply for this time is ignored. */
    private static final long ATTEMPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    final String master;

    final int slot;

    final String channel;

    @GuardedBy("this")
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;

    @GuardedBy("this")
    private boolean underWay;

    @GuardedBy("this")
    private long startedAt;

    @GuardedBy("this")
    private boolean subscribed;

    @GuardedBy("this")
    private long confirmedAt;

    ShardMailbox(String master, int slot, String channel) {
        this.master = master;
        this.slot = slot;
        this.channel = channel;
    }

    synchronized boolean isSubscribed() {
        return subscribed;
    }

    /** Whether to subscribe now. The caller then does, and reports the outcome. */
    synchronized boolean begin(long now) {
        boolean waits = underWay && now - startedAt < ATTEMPT_NANOS;
        if (waits || (subscribed && now - confirmedAt < REPEAT_NANOS)) {
            return false;
        }
        underWay = true;
        startedAt = now;
        return true;
    }

    /** Subscribes on that connection from now on. A subscription on another one does not count. */
    synchronized void use(StatefulRedisPubSubConnection<String, String> on) {
        if (connection != on) {
            connection = on;
            subscribed = false;
        }
    }

    /** Returns whether it was not subscribed before. An attempt on an earlier connection does not count. */
    synchronized boolean succeeded(@Nullable StatefulRedisPubSubConnection<String, String> on, long now) {
        if (connection != on) {
            return false;
        }
        boolean news = !subscribed;
        underWay = false;
        subscribed = true;
        confirmedAt = now;
        return news;
    }

    synchronized void failed() {
        underWay = false;
        subscribed = false;
    }

    /** The server executes no command at present. A subscription that it has remains. */
    synchronized void postponed() {
        underWay = false;
    }

    /** The server ended the subscription, or the connection broke. */
    synchronized void ended() {
        subscribed = false;
    }

    synchronized boolean isOn(Object broken) {
        return connection == broken;
    }
}
