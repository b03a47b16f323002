/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * H7: who has given a lock back, or has lost it, renews it no more. An orphaned renewal would keep everybody else out
 * for as long as its JVM lives.
 */
final class RenewalChecks {

    /**
     * What was decided before the end may be sent after it: less than a third of a lease, so that the next one is
     * found.
     */
    static final Duration UNDER_WAY = Duration.ofMillis(250);

    private final Map<String, Map<String, TreeMap<Long, Renewal>>> byLockAndJvm = new HashMap<>();

    private final List<Call> calls;

    private final CheckerFindings findings;

    private final Duration underWay;

    /** How much later the text of the script may be sent, since a server did not know it. */
    private final Duration textUnderWay;

    /**
     * @param late how much later a renewal may be sent: a server has redirected it, or the machine was busy
     * @param timeout a connection without a reply is closed after three of these, so no reply is later
     */
    RenewalChecks(
            Collection<Renewal> renewals, List<Call> calls, Duration late, Duration timeout, CheckerFindings findings) {
        this.underWay = longer(late, UNDER_WAY);
        this.textUnderWay = longer(timeout.multipliedBy(3), underWay);
        this.calls = calls;
        this.findings = findings;
        for (Renewal renewal : renewals) {
            byLockAndJvm
                    .computeIfAbsent(renewal.lock(), lock -> new HashMap<>())
                    .computeIfAbsent(renewal.jvm(), jvm -> new TreeMap<>())
                    .put(renewal.nanos(), renewal);
        }
    }

    void nothingIsRenewedAfterItsEnd(String lock, List<Event> events, List<Grant> grants) {
        byLockAndJvm.getOrDefault(lock, Map.of()).forEach((jvm, renewals) -> {
            Set<Long> allowed = new HashSet<>();
            for (Grant grant : grants) {
                grant.spansIn(jvm).forEach(span -> allowed.addAll(during(renewals, span.begin(), span.end())));
            }
            IntervalSet stops = new IntervalSet(calls.stream().filter(call -> stopped(jvm, call)), underWay);
            allowed.addAll(ofUnknown(jvm, events, renewals));
            renewals.forEach((time, renewal) -> {
                if (!allowed.contains(time) && !stops.contain(time)) {
                    findings.violation("H7", "no caller in this JVM has the lock any more: " + renewal);
                }
            });
        });
    }

    /** Neither it nor who looks at its renewals may have stood still. */
    private static boolean stopped(String jvm, Call call) {
        return call.operation() == Operation.STALL
                || call.operation() == Operation.FAULT && call.asked().owner().equals(jvm);
    }

    /** A call with an unknown outcome may have had the lease for a moment. */
    private Set<Long> ofUnknown(String jvm, List<Event> events, TreeMap<Long, Renewal> renewals) {
        Set<Long> times = new HashSet<>();
        for (Call call : Call.of(events)) {
            if (call.asked().jvm().equals(jvm) && mayHaveHad(call)) {
                times.addAll(during(renewals, call.begin(), call.end()));
            }
        }
        return times;
    }

    /** One of several locks may have been had until another one was refused. */
    private static boolean mayHaveHad(Call call) {
        return call.operation() == Operation.ACQUIRE_TOGETHER
                ? !call.isOk()
                : call.operation() == Operation.ACQUIRE && call.outcome() == Phase.UNKNOWN;
    }

    private Set<Long> during(TreeMap<Long, Renewal> renewals, long from, long to) {
        if (to == Long.MAX_VALUE) {
            return renewals.tailMap(from).keySet();
        }
        Set<Long> times = new HashSet<>();
        renewals.subMap(from, to + textUnderWay.toNanos()).forEach((time, renewal) -> {
            if (renewal.text() || time < to + underWay.toNanos()) {
                times.add(time);
            }
        });
        return times;
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
