/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clock of Redis, as shown by tokens. The token of a free lock is the clock in microseconds, unless the instance
 * has seen a higher one; so it is never below the clock, and where it is above the instance's floor by more than one,
 * it is the clock. A token that is lower than the value that the clock must have reached since then shows that the
 * clock was set back.
 */
final class ServerClockMonitor {

    /** Clocks that are slewed differ by up to 500 ppm from each other. */
    private static final long DRIFT = 1_000;

    private static final long TOLERATED_MICROS = TimeUnit.SECONDS.toMicros(2);

    private final NanoClock clock;

    /**
     * How far a message may be ahead of the latest reply: clocks that are stepped, and tokens that ran ahead of the
     * clock.
     */
    private static final long MARGIN_MICROS = TimeUnit.MINUTES.toMicros(10);

    /** How much higher a token has to be to replace the highest one. */
    private static final long STEP_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** Null before the first observation, and after a step back until tokens are the clock again. */
    private volatile @Nullable Sighting last;

    /** The highest token of a reply, to the nearest second. */
    private volatile @Nullable Sighting highest;

    ServerClockMonitor(NanoClock clock) {
        this.clock = clock;
    }

    /** @param atLeast a lower bound of the clock at that time */
    private record Sighting(long atLeast, long nanos) {}

    long nanos() {
        return clock.nanos();
    }

    /**
     * A reply of Redis had this token. Replies are trusted, since they arrive on a connection of this instance.
     *
     * @param sentAt when the request was sent
     */
    void replied(long token, long sentAt) {
        Sighting before = highest;
        if (before == null || token - before.atLeast() > STEP_MICROS) {
            highest = new Sighting(token, sentAt);
        }
    }

    /**
     * Whether a message may have such a token. Every client with the right to the channel can send a message, and an
     * invented token would raise those of all locks and instances for ever. So it may not be higher than the highest
     * one of a reply, plus the time since then and a margin. A valid message with a higher token is dropped; then this
     * instance sends a request.
     */
    boolean isPlausible(long token) {
        Sighting known = highest;
        if (known == null) {
            // There was no reply about any id yet, so no other client knows one.
            return true;
        }
        long elapsed = TimeUnit.NANOSECONDS.toMicros(clock.nanos() - known.nanos());
        return token > 0 && token - known.atLeast() <= elapsed + elapsed / DRIFT + STEP_MICROS + MARGIN_MICROS;
    }

    /**
     * @param token of a lock that was free
     * @param floor the highest token that the instance had seen
     * @param sentAt when it was requested
     * @return by how much the clock was set back, at least; null if it was not
     */
    @Nullable
    Duration saw(long token, long floor, long sentAt) {
        Sighting before = last;
        if (before != null) {
            long elapsed = TimeUnit.NANOSECONDS.toMicros(sentAt - before.nanos());
            long behind = before.atLeast() + elapsed - elapsed / DRIFT - token;
            if (behind > TOLERATED_MICROS) {
                last = null;
                return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(behind));
            }
        }
        if (token > floor + 1) {
            last = new Sighting(token, clock.nanos());
        }
        return null;
    }
}
