/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.TimeUnit;

/**
 * A clock that stands still until a test moves it. A thread that reads it without end is stopped, so that a timer that
 * stays due fails its test instead of hanging it.
 */
final class ManualClock implements NanoClock {

    private static final int MOST_LOOKS = 1_000_000;

    private volatile long now;

    private volatile int looks;

    private ManualClock(long now) {
        this.now = now;
    }

    static ManualClock startingAt(long nanos) {
        return new ManualClock(nanos);
    }

    /** Overflows after this time: what compares its values other than by subtraction goes wrong then. */
    static ManualClock overflowingAfterMillis(long millis) {
        return new ManualClock(Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public long nanos() {
        if (looks++ > MOST_LOOKS) {
            throw new IllegalStateException("A thread reads the clock for ever");
        }
        return now;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void advanceNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("A monotonic clock does not run backwards, but " + nanos + " ns");
        }
        looks = 0;
        now += nanos;
    }

    void advanceMillis(long millis) {
        advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
