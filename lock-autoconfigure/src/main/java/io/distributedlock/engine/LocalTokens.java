/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * The fencing tokens that this instance gives to its own callers while one lease lasts. The store takes a token from
 * its clock in microseconds, and forgets it when the lock is free. So a local token has to stay below the store's
 * clock: below the token of the grant and the microseconds that have passed since then, whatever the store's clock said
 * at that time. They count from when the grant was heard, since the store gave its token before that. One hundredth
 * less allows for two clocks that run at different speeds. Guarded by the {@link NamedLock} that owns the lease.
 */
final class LocalTokens {

    private final long granted;

    private final long heardAt;

    private long latest;

    LocalTokens(long granted, long heardAt) {
        this.granted = granted;
        this.heardAt = heardAt;
        this.latest = granted;
    }

    /** The token of the latest local hold. */
    long latest() {
        return latest;
    }

    /** The store knows this token of the lock. */
    void saw(long token) {
        latest = Math.max(latest, token);
    }

    /** Gives the next token. Only if {@link #nanosToNext} is zero. */
    void next() {
        latest++;
    }

    /** How long to wait until the next token is below the store's clock, approximately; 0 if it is. */
    long nanosToNext(long now) {
        long micros = (now - heardAt) / 1_000;
        long elapsed = micros - micros / 100 - 1;
        long given = latest + 1 - granted;
        return given < elapsed ? 0 : (given - elapsed + 1) * 1_000;
    }
}
