package io.distributedlock.redis.history;

import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/** Something with a token that happened at some moment between begin and end. */
record Span(long begin, long end, long token, Object what) {

    /**
     * Shows to the judge each of them together with the one that has the highest token of all that had certainly happened
     * before it. Those that cross in time have no order, so nothing is said of them.
     */
    static void inRealTime(List<Span> spans, BiConsumer<Span, Span> judge) {
        List<Span> byEnd =
                spans.stream().sorted(Comparator.comparingLong(Span::end)).toList();
        List<Span> byBegin =
                spans.stream().sorted(Comparator.comparingLong(Span::begin)).toList();
        int ended = 0;
        Span highest = null;
        for (Span later : byBegin) {
            for (; ended < byEnd.size() && byEnd.get(ended).end() < later.begin(); ended++) {
                Span before = byEnd.get(ended);
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
