/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the server of the commands has the subscription of this instance. It does not if the subscription is at
 * another server, for example after an address has changed: then no grant would ever arrive. If a server such as a
 * proxy cannot report this, the checks end after some attempts.
 */
final class MessageCheck {

    private static final Log log = LogFactory.getLog(MessageCheck.class);

    private static final int TRIES = 3;

    private final Runnable closeConnections;

    private final AtomicInteger missed = new AtomicInteger();

    /** @param closeConnections closes all connections of this instance, not too often */
    MessageCheck(Runnable closeConnections) {
        this.closeConnections = closeConnections;
    }

    /** Sends the check, and does not block. Sends nothing while there is no subscription at all. */
    void look(
            @Nullable StatefulRedisConnection<String, String> commands,
            @Nullable InstanceChannelSubscription messages) {
        if (commands == null || messages == null || !messages.isSubscribed()) {
            return;
        }
        String channel = messages.channel();
        commands.async().pubsubNumsub(channel).whenComplete((counts, failure) -> {
            if (failure == null && messages.isSubscribed()) {
                counted(counts.getOrDefault(channel, 0L));
            }
        });
    }

    private void counted(long listeners) {
        if (listeners > 0) {
            missed.set(0);
        } else if (missed.incrementAndGet() <= TRIES) {
            log.debug(
                    "The subscription of this instance is at another server than its commands; both are opened again");
            closeConnections.run();
        }
    }
}
