/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The strictest options of two requests for the same lock by one call. */
final class RequestMerger {

    private RequestMerger() {}

    /** An option that is not set is a default of the locks, which is not known here, so one that is set replaces it. */
    static LockRequest of(LockRequest one, LockRequest other) {
        boolean renew = one.renew() && other.renew();
        Duration maxHold = shorter(one.maxHold(), other.maxHold());
        Duration minHold = longer(one.minHold(), other.minHold());
        LockRequest both = LockRequest.of(one.name())
                .origin(one.origin())
                .mode(one.mode() == other.mode() ? one.mode() : LockMode.EXCLUSIVE)
                .reentrant(one.reentrant() && other.reentrant());
        both = one.waitUpTo() == null ? both : both.waitUpTo(one.waitUpTo());
        if (!renew) {
            LockRequest hard = withHardEnd(both, shorter(shorter(one.lease(), other.lease()), maxHold));
            return withMinimum(hard, minHold, shorter(hard.lease(), maxHold));
        }
        Duration lease = longer(one.lease(), other.lease());
        both = lease == null ? both : both.lease(lease);
        both = maxHold == null ? both : both.maxHold(maxHold);
        return withMinimum(both, minHold, maxHold);
    }

    private static LockRequest withMinimum(LockRequest request, @Nullable Duration minHold, @Nullable Duration end) {
        Duration minimum = minHold == null ? null : shorter(minHold, end);
        return minimum == null ? request : request.minHold(minimum);
    }

    /** A {@code maxHold} may be longer than the longest lease. */
    private static LockRequest withHardEnd(LockRequest request, @Nullable Duration end) {
        LockRequest hard = request.renew(false);
        if (end == null) {
            return hard;
        }
        Duration atMost = end.compareTo(LockRequest.MAX_LEASE) > 0 ? LockRequest.MAX_LEASE : end;
        return hard.lease(atMost.compareTo(LockRequest.MIN_LEASE) < 0 ? LockRequest.MIN_LEASE : atMost);
    }

    /**
     * Whether the wait of the first one is shorter: no limit is the longest, and one that is not set does not count.
     */
    static boolean waitsLess(LockRequest one, LockRequest other) {
        Duration wait = one.waitUpTo();
        Duration than = other.waitUpTo();
        if (wait == null || than == null) {
            return wait != null;
        }
        return !wait.isNegative() && (than.isNegative() || wait.compareTo(than) < 0);
    }

    private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) >= 0 ? one : other;
    }
}
