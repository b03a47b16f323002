/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.redis.history.Event.Operation;
import io.distributedlock.redis.history.Event.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** H5: no caller waits longer than it has to. */
final class WaitChecks {

    /** A fault may leave a lease that has to end by itself, and another one may hit the next holder. */
    private static final int LEASES = 2;

    private final CheckerBounds bounds;

    private final CheckerFindings findings;

    private final List<Call> faults;

    private final List<Call> stalls;

    /** When each JVM that was killed was certainly dead. */
    private final Map<String, Long> killed;

    /** When something was broken, without what is felt of it later. */
    private final IntervalSet broken;

    private final Map<String, IntervalSet> pauses = new HashMap<>();

    WaitChecks(CheckerBounds bounds, CheckerFindings findings, List<Call> faults, List<Call> stalls) {
        this.bounds = bounds;
        this.findings = findings;
        this.faults = faults;
        this.stalls = stalls;
        this.broken = new IntervalSet(Stream.concat(faults.stream(), stalls.stream()), Duration.ZERO);
        this.killed = faults.stream()
                .filter(Fault::endsJvm)
                .collect(Collectors.toMap(fault -> fault.asked().owner(), Call::end, Math::min));
    }

    /**
     * Every call of a JVM that was not killed returns, in time. What was done to that JVM itself is not held against
     * it.
     */
    void decidedInTime(List<Call> calls) {
        for (Call call : calls) {
            String jvm = call.asked().jvm();
            if (call.replied() == null) {
                if (!killed.containsKey(jvm)) {
                    findings.violation("H5", "never returned: " + call);
                }
            } else if (!call.operation().isAcquisition() || call.asked().deadline() != Event.NONE) {
                long wait = call.operation().isAcquisition() ? call.asked().deadline() - call.begin() : 0;
                long late = pausesOf(jvm).outside(call.begin(), call.end()) - wait;
                if (late > bounds.decision().toNanos()) {
                    findings.violation("H5", "returned " + late / 1_000_000 + " ms late: " + call);
                }
            }
        }
    }

    private IntervalSet pausesOf(String jvm) {
        return pauses.computeIfAbsent(
                jvm,
                target -> new IntervalSet(
                        Stream.concat(
                                stalls.stream(),
                                faults.stream()
                                        .filter(fault -> fault.asked().owner().equals(target))),
                        Duration.ZERO));
    }

    /** No time in which the lock is free although a caller waits for it. Of one lock. */
    void handedOverInTime(List<Call> calls, List<Grant> grants, Set<Grant> restored, Losses losses) {
        List<Free> free = without(restored, freeTimes(grants, restored, losses));
        IntervalSet disturbed = new IntervalSet(
                Stream.of(faults.stream(), stalls.stream(), unknown(calls)).flatMap(each -> each),
                call -> isRefused(call) ? Duration.ZERO : bounds.lease());
        int first = 0;
        for (Call call : calls) {
            if (call.operation() != Operation.ACQUIRE || call.replied() == null) {
                continue;
            }
            while (first < free.size() && free.get(first).end() <= call.begin()) {
                first++;
            }
            for (int i = first; i < free.size() && free.get(i).begin() < call.end(); i++) {
                waitedInVain(call, free.get(i), disturbed);
            }
        }
    }

    private record Free(long begin, long end) {}

    /** From when a hold was over until the next one was granted. */
    private List<Free> freeTimes(List<Grant> grants, Set<Grant> restored, Losses losses) {
        List<Grant> byToken = grants.stream()
                .filter(grant -> !restored.contains(grant))
                .sorted(Comparator.comparingLong(Grant::token))
                .toList();
        List<Free> free = new ArrayList<>();
        long lease = bounds.lease().toNanos();
        long readers = Long.MIN_VALUE;
        boolean unclosed = false;
        for (int i = 0; i < byToken.size(); i++) {
            Grant grant = byToken.get(i);
            long begin = grant.freeAt(lease, killed);
            // The lock is free when the last of the readers who hold it together is done, and the lease has ended of
            // those who have not given it back, or whose release Redis has forgotten: they last as long as others join.
            unclosed = grant.isShared()
                    && (unclosed
                            || grant.confirmedRelease() == null
                            || losses.mayHaveRestored(grant.grantedAt(), grant.grantedAt()));
            readers = grant.isShared() ? Math.max(readers, begin) : Long.MIN_VALUE;
            if (grant.isShared()) {
                begin = unclosed ? readers + lease : readers;
            }
            long end = i + 1 < byToken.size() ? byToken.get(i + 1).mayBeHadFrom() : Long.MAX_VALUE;
            if (begin < end) {
                free.add(new Free(begin, end));
            }
        }
        return free;
    }

    /**
     * The tokens of restored holds do not say when they were. The hold that was restored is not released with the one
     * that entered it again, so its lease has to end.
     */
    private List<Free> without(Set<Grant> restored, List<Free> free) {
        List<Free> rest = free;
        for (Grant grant : restored) {
            long lease = bounds.lease().toNanos();
            long until = grant.freeAt(lease, killed) + lease;
            rest = rest.stream()
                    .flatMap(each -> Stream.of(
                            new Free(each.begin(), Math.min(each.end(), grant.grantedAt())),
                            new Free(Math.max(each.begin(), until), each.end())))
                    .filter(each -> each.begin() < each.end())
                    .toList();
        }
        return rest;
    }

    /** Calls that may have got the lock, or may not have given it back, without anybody knowing. */
    private static Stream<Call> unknown(List<Call> calls) {
        return calls.stream().filter(call -> call.operation().isOfLocks()).filter(WaitChecks::isUnknown);
    }

    private static boolean isUnknown(Call call) {
        return call.replied() != null && (isRefused(call) || call.outcome() == Phase.UNKNOWN);
    }

    /** One of several locks may have been had until another one was refused. Then it was released. */
    private static boolean isRefused(Call call) {
        return call.operation() == Operation.ACQUIRE_TOGETHER && call.outcome() == Phase.FAIL;
    }

    private void waitedInVain(Call call, Free free, IntervalSet disturbed) {
        long from = Math.max(call.begin(), free.begin());
        long to = Math.min(call.end(), free.end());
        long calm = disturbed.outside(from, to);
        findings.handOver(to - from, calm);
        if (calm > bounds.handOver().toNanos()) {
            findings.violation(
                    "H5", "the lock was free for " + calm / 1_000_000 + " ms, and no fault to explain it: " + call);
        }
        long unbroken = broken.outside(from, to);
        if (unbroken > bounds.handOver().toNanos() + LEASES * bounds.lease().toNanos()) {
            findings.violation(
                    "H5", "the lock was free for " + unbroken / 1_000_000 + " ms besides all faults: " + call);
        }
    }
}
