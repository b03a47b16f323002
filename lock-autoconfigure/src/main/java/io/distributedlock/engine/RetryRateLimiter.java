/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Limits retries while the store is unavailable. Each lock retries after a pause of its own, which grows to a second;
 * this permits twenty retries a second, so that many locks do not overload a recovering store. Any reply shows that the
 * outage is over, and then all may retry, each at the end of its pause. A first attempt is always permitted.
 */
final class RetryRateLimiter {

    private static final long SPACING_NANOS = 50_000_000;

    private static final long SECOND_NANOS = 20 * SPACING_NANOS;

    private volatile boolean trouble;

    /** When all permitted retries would have been sent at one each {@link #SPACING_NANOS}. */
    @GuardedBy("this")
    private long usedUntil;

    @GuardedBy("this")
    private boolean used;

    /** A command has failed. A permanent refusal is a reply. */
    void failed() {
        if (!trouble) {
            trouble = true;
        }
    }

    /** The store has replied. */
    void succeeded() {
        if (trouble) {
            trouble = false;
        }
    }

    /** Whether to retry now; if not, call this again after a pause. */
    boolean tryAcquirePermit(long now) {
        return !trouble || letThrough(now);
    }

    private synchronized boolean letThrough(long now) {
        if (!used || usedUntil - now < 0) {
            used = true;
            usedUntil = now;
        }
        if (usedUntil + SPACING_NANOS - now > SECOND_NANOS) {
            return false;
        }
        usedUntil += SPACING_NANOS;
        return true;
    }
}
