/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/** Something with a token that happened at some moment between begin and end. */
record TokenInterval(long begin, long end, long token, Object what) {

    /**
     * Shows to the judge each of the second ones together with the one of the first that has the highest token of all
     * that had certainly happened before it. Those that cross in time have no order, so nothing is said of them.
     */
    static void inRealTime(
            List<TokenInterval> first, List<TokenInterval> second, BiConsumer<TokenInterval, TokenInterval> judge) {
        List<TokenInterval> byEnd = first.stream()
                .sorted(Comparator.comparingLong(TokenInterval::end))
                .toList();
        List<TokenInterval> byBegin = second.stream()
                .sorted(Comparator.comparingLong(TokenInterval::begin))
                .toList();
        int ended = 0;
        TokenInterval highest = null;
        for (TokenInterval later : byBegin) {
            for (; ended < byEnd.size() && byEnd.get(ended).end() < later.begin(); ended++) {
                TokenInterval before = byEnd.get(ended);
                highest = highest == null || before.token() > highest.token() ? before : highest;
            }
            if (highest != null) {
                judge.accept(later, highest);
            }
        }
    }

    @Override
    public String toString() {
        return what.toString();
    }
}
