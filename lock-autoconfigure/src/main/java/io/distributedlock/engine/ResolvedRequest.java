/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockMode;
import io.distributedlock.LockNames;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request with the settings filled in, in nanoseconds.
 *
 * @param waitUpTo {@link #FOREVER} for no limit
 * @param maxHold {@link #FOREVER} for no limit
 * @param minHold 0 for none
 * @param owner the explicit owner, {@link LeaseStore#READERS} for a reader, or null
 * @param ofSeveral whether the hold is one of several, whose maximum time begins with the last of them
 */
record ResolvedRequest(
        String name,
        long lease,
        long waitUpTo,
        boolean renew,
        long maxHold,
        long minHold,
        boolean reentrant,
        @Nullable String owner,
        LockOrigin origin,
        boolean ofSeveral) {

    /** About 146 years: long enough, and sums with it do not overflow. */
    static final long FOREVER = Long.MAX_VALUE / 2;

    static ResolvedRequest of(LockRequest request, EngineSettings settings) {
        return of(request, settings, false);
    }

    static ResolvedRequest of(LockRequest request, EngineSettings settings, boolean ofSeveral) {
        Duration lease = request.lease() == null ? settings.lease() : request.lease();
        Duration wait = request.waitUpTo() == null ? settings.waitUpTo() : request.waitUpTo();
        Duration maxHold = request.renew() && request.maxHold() == null ? settings.maxHold() : request.maxHold();
        requireShorter(request, maxHold);
        return new ResolvedRequest(
                request.name(),
                nanos(lease),
                wait.isNegative() ? FOREVER : Math.max(0, nanos(wait) - nanos(request.waited())),
                request.renew(),
                maxHold == null ? FOREVER : nanos(maxHold),
                request.minHold() == null ? 0 : nanos(request.minHold()),
                request.reentrant(),
                request.mode() == LockMode.SHARED ? LeaseStore.READERS : request.owner(),
                request.origin(),
                ofSeveral);
    }

    /** A request compares its minimum with its own maximum only. */
    private static void requireShorter(LockRequest request, @Nullable Duration maxHold) {
        Duration minHold = request.minHold();
        if (minHold != null && maxHold != null && minHold.compareTo(maxHold) > 0) {
            throw new IllegalArgumentException("Lock '" + LockNames.show(request.name()) + "': minHold " + minHold
                    + " is longer than the default maxHold " + maxHold
                    + ", at which the lock is lost. Shorten minHold, or give the request a longer maxHold.");
        }
    }

    /** Nanoseconds of a duration, {@link #FOREVER} if it is longer than that. */
    static long nanos(Duration duration) {
        return duration.toSeconds() >= FOREVER / 1_000_000_000 ? FOREVER : duration.toNanos();
    }

    /** The lease of the command: no longer than the hold may last. */
    long firstLease() {
        return Math.min(lease, Math.max(maxHold, ResolvedRequest.nanos(LockRequest.MIN_LEASE)));
    }

    boolean triesOnce() {
        return waitUpTo == 0;
    }
}
