/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the server of the commands has the subscription of this instance, and so has that of the confirmations by
 * replicas, if there is such a connection. A connection may lead to another server, for example after an address has
 * changed: then no grant would ever arrive, or no lease would be found there. If a server such as a proxy cannot report
 * this, the checks end after some attempts.
 */
final class MessageCheck {

    private static final Log log = SafeLog.of(MessageCheck.class);

    private static final int TRIES = 3;

    private final BooleanSupplier closeConnections;

    private final Runnable lookLater;

    private final AtomicInteger missed = new AtomicInteger();

    /**
     * @param closeConnections closes all connections of this instance; false if it has done so a moment ago
     * @param lookLater plans another check for a time when they can be closed again
     */
    MessageCheck(BooleanSupplier closeConnections, Runnable lookLater) {
        this.closeConnections = closeConnections;
        this.lookLater = lookLater;
    }

    /** Sends the check, and does not block. Sends nothing while there is no subscription at all. */
    void look(
            StatefulRedisConnection<String, String> commands,
            @Nullable StatefulRedisConnection<String, String> confirmations,
            InstanceChannelSubscription messages) {
        int generation = messages.generation();
        if (!messages.isSubscribed()) {
            return;
        }
        String channel = messages.channel();
        CompletionStage<Long> listeners = listeners(commands, channel);
        if (confirmations != null) {
            listeners = listeners.thenCombine(listeners(confirmations, channel), Math::min);
        }
        listeners.whenComplete((fewest, failure) -> {
            // The count is about the subscription of that time. One that has begun since is checked by itself.
            if (failure == null && messages.isSubscribed() && messages.generation() == generation) {
                counted(fewest);
            }
        });
    }

    private static CompletionStage<Long> listeners(StatefulRedisConnection<String, String> redis, String channel) {
        return redis.async().pubsubNumsub(channel).thenApply(counts -> counts.getOrDefault(channel, 0L));
    }

    private void counted(long listeners) {
        if (listeners > 0) {
            missed.set(0);
        } else if (missed.get() < TRIES) {
            if (closeConnections.getAsBoolean()) {
                missed.incrementAndGet();
                log.debug(
                        "The subscription of this instance is at another server than its commands; all connections are"
                                + " opened again");
            } else {
                lookLater.run();
            }
        }
    }
}
