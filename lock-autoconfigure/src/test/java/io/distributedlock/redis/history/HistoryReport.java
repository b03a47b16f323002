/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.testing.SafetyViolation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the checker says of a run.
 *
 * @param row which row of the table of faults it was
 * @param seed what the run was made from
 * @param operations how often a lock was asked for, renewed by hand, or released
 * @param unknown of how many of these the outcome was not known
 * @param unknownReleases how many of them were releases
 * @param grants how many holds there were
 * @param together how many of them readers, or the members of one owner, had beside others
 * @param inSets how many of them were of locks that were acquired all or none
 * @param extensions how often the lease of one of them was set by its holder
 * @param hits how often each kind of fault hit
 * @param overlaps how often two callers could both rely on a lock
 * @param unexplainedOverlaps those of them for which no loss of data is to blame
 * @param latePasses how often a JVM passed a lease on that Redis had forgotten, after another caller had a higher token
 * @param restoredHolds how often an explicit owner entered a hold again that it had released, and that Redis has
 *     restored
 * @param refusedWrites how many writes the fenced stores refused
 * @param worstHandOver the longest time that a lock was free while a caller waited for it
 * @param worstCalmHandOver the same, without what a fault explains
 * @param handOvers all of them
 * @param renewals how many were seen on their way to Redis
 * @param violationsInAll how often a promise was broken
 * @param violations the first of these, each beginning with the name of the check
 * @param invalid why the run proves nothing, if it does not
 */
public record HistoryReport(
        String row,
        long seed,
        Model model,
        int operations,
        int unknown,
        int unknownReleases,
        int grants,
        int together,
        int inSets,
        int extensions,
        Map<String, Integer> hits,
        int overlaps,
        int unexplainedOverlaps,
        int latePasses,
        int restoredHolds,
        int refusedWrites,
        Duration worstHandOver,
        Duration worstCalmHandOver,
        HandOvers handOvers,
        int renewals,
        int violationsInAll,
        List<String> violations,
        List<String> invalid) {

    /** One line of the report. */
    private static final String LINE = "%s: %s, %s, seed %d, %d operations, %.2f %% unknown,"
            + " %d holds (%d together, %d in sets), %d extensions, hits %s,"
            + " worst hand-over %d ms (%d ms without faults), %d overlaps, %d late passes, %d restored holds,"
            + " %d writes refused, %d renewals, %d violations";

    private static final Set<String> SAFETY = Set.of("H1", "H2", "H3", "H4", "H6");

    /** In one word. */
    public enum Outcome {
        GREEN,
        RED,
        /** Nothing was found, but nothing could have been. */
        INVALID
    }

    public Outcome outcome() {
        if (violationsInAll > 0) {
            return Outcome.RED;
        }
        return invalid.isEmpty() ? Outcome.GREEN : Outcome.INVALID;
    }

    /** @throws AssertionError with everything that is known, if it is not green */
    public void assertGreen() {
        if (outcome() != Outcome.GREEN) {
            throw isUnsafe() ? new SafetyViolation(this) : new AssertionError(this);
        }
    }

    /** Whether it is red for what must never happen, and not only for what has to happen in time. */
    private boolean isUnsafe() {
        return violations.stream().anyMatch(each -> SAFETY.contains(each.substring(0, 2)));
    }

    /** How often a lock was taken away by force. */
    public int forced() {
        return hits.getOrDefault(Fault.FORCE, 0);
    }

    /** The share of operations whose outcome is unknown, from 0 to 1. */
    public double unknownShare() {
        return operations == 0 ? 0 : (double) unknown / operations;
    }

    @Override
    public String toString() {
        String line = String.format(
                Locale.ROOT,
                LINE,
                row,
                outcome(),
                model,
                seed,
                operations,
                100 * unknownShare(),
                grants,
                together,
                inSets,
                extensions,
                hits,
                worstHandOver.toMillis(),
                worstCalmHandOver.toMillis(),
                overlaps,
                latePasses,
                restoredHolds,
                refusedWrites,
                renewals,
                violationsInAll);
        return Stream.of(List.of(line), invalid, violations)
                .flatMap(List::stream)
                .collect(Collectors.joining("\n  "));
    }
}
