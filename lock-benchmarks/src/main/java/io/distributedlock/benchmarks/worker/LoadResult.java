/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.worker;

import java.util.List;

/**
 * The result of a {@link LoadOrder}.
 *
 * @param cycles per thread, how many sections began in time
 * @param allCycles all sections, also the few that began late
 * @param violations how often another caller was in the section
 * @param self how often a thread acquired the lock that it had held last
 * @param remote how often a thread acquired the lock after a thread of another JVM
 * @param errors how many calls have failed
 * @param firstError the first of them, or empty
 * @param cpuNanos CPU time of the JVM
 */
public record LoadResult(
        List<Long> cycles,
        long allCycles,
        long violations,
        long self,
        long remote,
        long errors,
        String firstError,
        long cpuNanos,
        Times times) {

    /** Histograms as text: waits, whole cycles, hand-overs between threads, and stretches of one JVM, in ns. */
    public record Times(String waits, String cycles, String handOvers, String stretches) {}
}
