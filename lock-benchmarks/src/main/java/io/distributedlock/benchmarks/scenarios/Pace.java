/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

/**
 * The durations and counts of a run.
 *
 * @param quick whether the figures do not matter
 * @param rounds how often all contenders are measured
 * @param firstMillis load on each contender before the first round, for its code to be compiled
 * @param warmUpMillis load right before each measurement
 * @param measureMillis load that is measured
 * @param holdSeconds how long held locks are watched; two renewals at least, except in a quick run
 * @param held how many locks are held where the full run has 10 000
 * @param names how many names are used where the full run has 1 000 000
 */
public record Pace(
        boolean quick,
        int rounds,
        long firstMillis,
        long warmUpMillis,
        long measureMillis,
        int holdSeconds,
        int held,
        int names) {

    public static final Pace FULL = new Pace(false, 3, 1500, 300, 2000, 20, 10_000, 1_000_000);

    /** For a check that everything works. */
    public static final Pace QUICK = new Pace(true, 1, 150, 50, 300, 10, 1_000, 20_000);

    public Pace withRounds(int other) {
        return new Pace(quick, other, firstMillis, warmUpMillis, measureMillis, holdSeconds, held, names);
    }

    double measurementSeconds() {
        return (warmUpMillis + measureMillis) / 1000.0 + 0.4;
    }
}
