/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Times in which something was not as it should be, as intervals that do not touch. */
final class IntervalSet {

    private record Interval(long begin, long end) {

        Interval join(Interval other) {
            return new Interval(begin, Math.max(end, other.end));
        }

        long covered(long from, long to) {
            return Math.max(0, Math.min(end, to) - Math.max(begin, from));
        }
    }

    private final List<Interval> intervals = new ArrayList<>();

    /** @param after how long it is felt after it is over */
    IntervalSet(Stream<Call> calls, Duration after) {
        this(calls, call -> after);
    }

    /** @param after how long each is felt after it is over */
    IntervalSet(Stream<Call> calls, Function<Call, Duration> after) {
        calls.map(call -> new Interval(call.begin(), end(call, after.apply(call))))
                .sorted(Comparator.comparingLong(Interval::begin))
                .forEach(this::add);
    }

    private static long end(Call call, Duration after) {
        return call.replied() == null ? Long.MAX_VALUE : call.end() + after.toNanos();
    }

    private void add(Interval next) {
        int last = intervals.size() - 1;
        if (last >= 0 && next.begin() <= intervals.get(last).end()) {
            intervals.set(last, intervals.get(last).join(next));
        } else {
            intervals.add(next);
        }
    }

    boolean contain(long time) {
        return touch(time, time);
    }

    /** Whether any of the time from one to the other was in one of them. */
    boolean touch(long from, long to) {
        return intervals.stream().anyMatch(each -> each.begin() <= to && from <= each.end());
    }

    /** How much of the time from one to the other was not in any of them. */
    long outside(long from, long to) {
        return to
                - from
                - intervals.stream().mapToLong(each -> each.covered(from, to)).sum();
    }
}
