/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongUnaryOperator;

/**
 * The time in which the confirmation of a grant counts: it ends before the engine stops waiting for the reply to the
 * request, so that the caller gets the shortfall. The engine waits for less than the time-out of the confirmations if
 * the lease is short. The confirmation may also have to wait for another one that is under way.
 */
final class ConfirmationTimeout {

    /** For a timer that is late on a busy machine. */
    private static final long LONGEST_MARGIN_NANOS = 100_000_000;

    private final NanoClock clock;

    private final LongUnaryOperator replyTimeout;

    private final int replicas;

    /** @param replyTimeout how long the engine waits for the reply about a lease, both in nanoseconds */
    ConfirmationTimeout(NanoClock clock, LongUnaryOperator replyTimeout, int replicas) {
        this.clock = clock;
        this.replyTimeout = replyTimeout;
        this.replicas = replicas;
    }

    long now() {
        return clock.nanos();
    }

    /**
     * The same outcome, or a shortfall at the end of the time.
     *
     * @param sentAt when the request was sent, or later
     */
    <T> CompletableFuture<T> limit(CompletableFuture<T> confirmation, long leaseMillis, long sentAt) {
        long limit = nanos(leaseMillis);
        long left = Math.max(1, limit - (clock.nanos() - sentAt));
        return confirmation
                .copy()
                .orTimeout(left, TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException ? shortfall(leaseMillis, limit) : failure));
    }

    private long nanos(long leaseMillis) {
        long timeout = replyTimeout.applyAsLong(TimeUnit.MILLISECONDS.toNanos(leaseMillis));
        return timeout - Math.min(timeout / 4, LONGEST_MARGIN_NANOS);
    }

    private AcknowledgedRenewal.ShortfallException shortfall(long leaseMillis, long limit) {
        String within = "within " + TimeUnit.NANOSECONDS.toMillis(limit)
                + " ms, the longest time for a request with a lease of " + leaseMillis + " ms";
        return new AcknowledgedRenewal.ShortfallException(
                AcknowledgedRenewal.ShortfallException.UNCOUNTED, replicas, within);
    }
}
