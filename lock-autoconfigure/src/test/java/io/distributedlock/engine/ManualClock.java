package io.distributedlock.engine;

import java.util.concurrent.TimeUnit;

/** A clock that stands still until somebody moves it. */
final class ManualClock implements NanoClock {

    private volatile long now;

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
    public long nanos() {
        return now;
    }

    void advanceNanos(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("A monotonic clock does not run backwards, but " + nanos + " ns");
        }
        now += nanos;
    }

    void advanceMillis(long millis) {
        advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
