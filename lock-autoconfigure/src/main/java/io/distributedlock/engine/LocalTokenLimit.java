/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * The limit of the fencing tokens that this instance assigns to its own callers while one lease lasts. The store takes
 * a token from its clock in microseconds, and deletes it when the lock is free. So a local token has to stay below the
 * store's clock: below the token of the grant and the microseconds that have passed since then, whatever the store's
 * clock showed at that time. They count from the arrival of the grant, since the store assigned its token before that.
 * One hundredth less covers the difference in speed between the two clocks. If the token of the grant was ahead of the
 * clock, since it came from another server's clock or from an earlier token, local tokens have to wait until the clock
 * has caught up: the store would assign the same numbers. Guarded by the {@link NamedLock} that owns the lease.
 */
final class LocalTokenLimit {

    private final long granted;

    private final long receivedAt;

    private LocalTokenLimit(long granted, long receivedAt) {
        this.granted = granted;
        this.receivedAt = receivedAt;
    }

    /**
     * @param token of the grant
     * @param receivedAt when the grant arrived
     * @param clock what the store's clock shows now at most, in microseconds
     */
    static LocalTokenLimit of(long token, long receivedAt, long clock, long now) {
        return new LocalTokenLimit(Math.min(token, clock - (now - receivedAt) / 1_000), receivedAt);
    }

    /** The approximate time until the token after the latest one is below the store's clock; 0 if it is. */
    long nanosToNext(long latest, long now) {
        long micros = (now - receivedAt) / 1_000;
        long elapsed = micros - micros / 100 - 1;
        long given = latest + 1 - granted;
        return given < elapsed ? 0 : (given - elapsed + 1) * 1_000;
    }
}
