/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * Who may try again while the store is in trouble. Each tries after a pause of its own, which grows to a second; this
 * lets twenty of them a second through, so that many locks do not keep a store in trouble there. Any answer shows that
 * the trouble is over, and then all may, each at the end of its pause. What is tried for the first time always may.
 */
final class RetryRateLimiter {

    private static final long SPACING = 50_000_000;

    private static final long A_SECOND = 20 * SPACING;

    private volatile boolean trouble;

    /** When everything that was let through so far would have been, one each {@link #SPACING}. */
    private long usedUntil;

    private boolean used;

    /** The store did not do what it was asked. To be refused for good is an answer. */
    void failed() {
        if (!trouble) {
            trouble = true;
        }
    }

    /** The store has answered. */
    void succeeded() {
        if (trouble) {
            trouble = false;
        }
    }

    /** Whether to try now; if not, ask again after a pause. */
    boolean tryAcquirePermit(long now) {
        return !trouble || letThrough(now);
    }

    private synchronized boolean letThrough(long now) {
        if (!used || usedUntil - now < 0) {
            used = true;
            usedUntil = now;
        }
        if (usedUntil + SPACING - now > A_SECOND) {
            return false;
        }
        usedUntil += SPACING;
        return true;
    }
}
