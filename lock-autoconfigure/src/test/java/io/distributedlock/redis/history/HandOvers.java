/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;

/** How long it took to get a lock once it was free, of any number of times, each known to an eighth of itself. */
public final class HandOvers {

    private static final int STEPS = 8;

    private final long[] counts = new long[64 * STEPS];

    private long count;

    private long longest;

    void add(long nanos) {
        counts[bucket(Math.max(1, nanos))]++;
        count++;
        longest = Math.max(longest, nanos);
    }

    /** Takes in those of another run. */
    public void add(HandOvers other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        count += other.count;
        longest = Math.max(longest, other.longest);
    }

    private static int bucket(long nanos) {
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        long rest = nanos - (1L << power);
        return power * STEPS + (int) (rest * STEPS >> power);
    }

    private static long upperEnd(int bucket) {
        long power = 1L << bucket / STEPS;
        return power + power / STEPS * (bucket % STEPS + 1);
    }

    public long count() {
        return count;
    }

    /** So that this share of them, from 0 to 1, took no longer. */
    public Duration quantile(double share) {
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i];
            if (below >= share * count) {
                return Duration.ofNanos(Math.min(longest, upperEnd(i)));
            }
        }
        return longest();
    }

    public Duration longest() {
        return Duration.ofNanos(longest);
    }
}
