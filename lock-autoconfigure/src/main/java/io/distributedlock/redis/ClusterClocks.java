/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The clocks of the masters of a cluster. Tokens come from them, and a lock moves from one master to another; so no
 * token may be below the most advanced of these clocks. That clock is known from its latest reply and the time that has
 * passed here since the question was <em>sent</em>: then the result is never below the clock, whatever the network
 * does.
 */
final class ClusterClocks {

    private static final Log log = LogFactory.getLog(ClusterClocks.class);

    /** Clocks that differ by more than this are worth a word to the operator. */
    static final Duration TOLERATED = Duration.ofMillis(500);

    private static final Duration SET_BACK = Duration.ofSeconds(2);

    /** Clocks that are slewed differ by up to 500 ppm from each other. */
    private static final long DRIFT = 1_000;

    private final NanoClock clock;

    private final Map<String, Offset> offsets = new ConcurrentHashMap<>();

    private volatile boolean told;

    ClusterClocks(NanoClock clock) {
        this.clock = clock;
    }

    /**
     * The clock of a master less the clock here, in microseconds.
     *
     * @param atMost counted from when the question was sent
     * @param atLeast counted from when the reply came
     * @param askedAt when the question was sent, in microseconds
     */
    private record Offset(long atMost, long atLeast, long askedAt) {}

    long nanos() {
        return clock.nanos();
    }

    /** A master was asked for its clock at that time, and has answered now. */
    void answered(String node, long micros, long sentAt) {
        long asked = micros(sentAt);
        Offset now = new Offset(micros - asked, micros - micros(clock.nanos()), asked);
        Offset before = offsets.put(node, now);
        if (before != null && before.atLeast() - now.atMost() > TimeUnit.NANOSECONDS.toMicros(SET_BACK.toNanos())) {
            log.warn("The clock of Redis node " + node + " was set back by "
                    + (before.atLeast() - now.atMost()) / 1_000 + " ms. Fencing tokens come from it. Slew clocks"
                    + " instead of setting them.");
        }
        compare();
    }

    /** Forgets masters that are none any more; the others know a clock that is as good. */
    void retain(Set<String> masters) {
        offsets.keySet().retainAll(masters);
    }

    /** The most advanced clock at this moment, or 0 if none is known. */
    long mostAdvanced() {
        long now = micros(clock.nanos());
        long latest = 0;
        for (Offset offset : offsets.values()) {
            latest = Math.max(latest, offset.atMost() + now + (now - offset.askedAt()) / DRIFT);
        }
        return latest;
    }

    private void compare() {
        String first = "";
        String last = "";
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (Map.Entry<String, Offset> each : offsets.entrySet()) {
            if (each.getValue().atMost() < lowest) {
                lowest = each.getValue().atMost();
                last = each.getKey();
            }
            if (each.getValue().atLeast() > highest) {
                highest = each.getValue().atLeast();
                first = each.getKey();
            }
        }
        boolean apart = highest - lowest > TimeUnit.NANOSECONDS.toMicros(TOLERATED.toNanos());
        if (apart && !told) {
            log.warn("The clocks of the Redis Cluster are apart: that of node " + first + " is "
                    + (highest - lowest) / 1_000 + " ms or more ahead of that of node " + last
                    + ". Fencing tokens stay in order, but run ahead of time. Synchronize the clocks of the servers.");
        }
        told = apart;
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
