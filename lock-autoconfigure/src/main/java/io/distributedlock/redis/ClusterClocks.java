/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.logging.Log;

/**
 * The clocks of the masters of a cluster. Tokens come from them, and a lock moves from one master to another. So no
 * token may be below what the most advanced of these clocks shows when the lock leaves that server. Nor may a token be
 * ahead of all clocks, since other instances would not know it. The clock is known from a reply and the time that has
 * passed here since the reply <em>arrived</em>: the result is behind that clock by the transit time of the reply, and
 * never ahead of it. Of all replies, the one with the shortest transit time counts, which is far less than the time for
 * the move of a slot. The clock of a former master counts as it was when it was last one, since the latest token may
 * come from it.
 */
final class ClusterClocks {

    private static final Log log = SafeLog.of(ClusterClocks.class);

    /** A difference of more than this is logged. */
    static final long TOLERATED_MICROS = TimeUnit.MILLISECONDS.toMicros(500);

    private static final long SET_BACK_MICROS = TimeUnit.SECONDS.toMicros(2);

    /** Covers the difference in speed between two clocks since the latest reply. */
    private static final long SLACK_MICROS = TimeUnit.MILLISECONDS.toMicros(1);

    /** A clock may run slower than the local one by one part in this number. */
    private static final long DRIFT = 10_000;

    private final NanoClock clock;

    private final Map<String, Offset> offsets = new ConcurrentHashMap<>();

    /** What the most advanced clock of a former master showed when it was last one, in microseconds. */
    private final AtomicLong former = new AtomicLong();

    /** What the clocks of other servers have shown, until they are compared with those of the masters. */
    private final AtomicReference<List<Long>> surveyed = new AtomicReference<>(List.of());

    private volatile boolean warned;

    ClusterClocks(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * The clock of a master minus the local clock, in microseconds.
     *
     * @param atLeast counted from the arrival of the reply
     * @param at when the reply arrived, by the local clock
     * @param atMost counted from the sending of the latest request
     */
    private record Offset(long atLeast, long at, long atMost) {

        long atLeast(long now) {
            return atLeast - (now - at) / DRIFT;
        }
    }

    long nanos() {
        return clock.nanos();
    }

    /** A request for its clock was sent to a master at that time, and its reply has arrived now. */
    void replied(String node, long micros, long sentAt) {
        long now = micros(clock.nanos());
        Offset latest = new Offset(micros - now, now, micros - micros(sentAt));
        offsets.merge(node, latest, (known, other) -> better(node, known, other));
        countSurveyed();
        compare(now);
    }

    private static Offset better(String node, Offset known, Offset other) {
        long expected = known.atLeast(other.at());
        long setBack = expected - other.atMost();
        if (setBack > SET_BACK_MICROS) {
            log.warn("The clock of Redis node " + node + " was set back by " + setBack / 1_000
                    + " ms. Fencing tokens come from it. Slew clocks instead of setting them.");
        }
        return setBack > 0 || other.atLeast() >= expected
                ? other
                : new Offset(known.atLeast(), known.at(), other.atMost());
    }

    /**
     * Servers that are not masters now, but may have been, have shown these times, in microseconds. They count from
     * when the clock of a master is known.
     */
    void surveyed(List<Long> micros) {
        surveyed.set(micros);
        countSurveyed();
    }

    private void countSurveyed() {
        long known = mostAdvanced();
        List<Long> clocks = known == 0 ? List.of() : surveyed.getAndSet(List.of());
        if (clocks.isEmpty()) {
            return;
        }
        long latest = ClockSurvey.mostAdvanced(clocks, known);
        former.accumulateAndGet(latest, Math::max);
        if (latest - known > TOLERATED_MICROS) {
            log.warn("The clock of a server of the Redis Cluster that is not a master is " + (latest - known) / 1_000
                    + " ms or more ahead of those of the masters. Fencing tokens of this instance are higher than that"
                    + " clock. Synchronize the clocks of the servers.");
        }
    }

    /** The clocks of servers that are no longer masters stop here. */
    void retain(Set<String> masters) {
        long now = micros(clock.nanos());
        offsets.forEach((node, offset) -> {
            if (!masters.contains(node)) {
                former.accumulateAndGet(offset.atLeast(now) + now, Math::max);
                offsets.remove(node);
            }
        });
    }

    /** What the clocks of former masters have shown at least, in microseconds; 0 if there was none. */
    long former() {
        return former.get();
    }

    /** A lower bound of the most advanced clock, in microseconds; 0 if none is known. */
    long mostAdvanced() {
        long now = micros(clock.nanos());
        long latest = former.get();
        for (Offset offset : offsets.values()) {
            latest = Math.max(latest, offset.atLeast(now) + now);
        }
        return latest;
    }

    /**
     * An upper bound of the clock of a master, in microseconds. 0 if that is not known yet, but those of others are:
     * the server has become a master a moment ago, and its clock may be behind all tokens.
     */
    long latest(Object node) {
        Offset known = offsets.get(node);
        if (known == null) {
            return offsets.isEmpty() ? Long.MAX_VALUE : 0;
        }
        return known.atMost() + micros(clock.nanos()) + SLACK_MICROS;
    }

    private void compare(long now) {
        String first = "";
        String last = "";
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (Map.Entry<String, Offset> each : offsets.entrySet()) {
            if (each.getValue().atMost() < lowest) {
                lowest = each.getValue().atMost();
                last = each.getKey();
            }
            if (each.getValue().atLeast(now) > highest) {
                highest = each.getValue().atLeast(now);
                first = each.getKey();
            }
        }
        boolean apart = highest - lowest > TOLERATED_MICROS;
        if (apart && !warned) {
            log.warn("The clocks of the Redis Cluster are apart: that of node " + first + " is "
                    + (highest - lowest) / 1_000 + " ms or more ahead of that of node " + last
                    + ". Fencing tokens stay in order. Synchronize the clocks of the servers.");
        }
        warned = apart;
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
