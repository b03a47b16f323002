/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.util.ArrayList;
import java.util.List;

/** What the checks have to say of a run. */
final class CheckerFindings {

    /** So many are reported; all are counted. */
    private static final int TOLD = 20;

    private final List<String> violations = new ArrayList<>();

    private int violationsInAll;

    private int overlaps;

    private int unexplainedOverlaps;

    private int together;

    private int latePasses;

    private int restored;

    private int refusedWrites;

    private final HandOvers handOvers = new HandOvers();

    private long worstHandOver;

    private long worstCalmHandOver;

    void violation(String check, String text) {
        violationsInAll++;
        if (violations.size() < TOLD) {
            violations.add(check + ": " + text);
        }
    }

    void overlap(boolean explained) {
        overlaps++;
        unexplainedOverlaps += explained ? 0 : 1;
    }

    void heldTogether() {
        together++;
    }

    void latePass() {
        latePasses++;
    }

    void restored() {
        restored++;
    }

    void refusedWrite() {
        refusedWrites++;
    }

    void handOver(long nanos, long outsideOfFaults) {
        handOvers.add(nanos);
        worstHandOver = Math.max(worstHandOver, nanos);
        worstCalmHandOver = Math.max(worstCalmHandOver, outsideOfFaults);
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    int violationsInAll() {
        return violationsInAll;
    }

    int overlaps() {
        return overlaps;
    }

    int unexplainedOverlaps() {
        return unexplainedOverlaps;
    }

    int together() {
        return together;
    }

    int latePasses() {
        return latePasses;
    }

    int restoredHolds() {
        return restored;
    }

    int refusedWrites() {
        return refusedWrites;
    }

    HandOvers handOvers() {
        return handOvers;
    }

    long worstHandOver() {
        return worstHandOver;
    }

    long worstCalmHandOver() {
        return worstCalmHandOver;
    }
}
