/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMode;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockMonitor.HoldReply;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One lock: its entry in Redis, the line of the waiters, and the reply of its holder's instance. */
final class LockDetails {

    private static final int LINE = 100;

    /** The maximum number of instances that are contacted about one lock; each may take half a second. */
    private static final int MOST_INSTANCES = 4;

    /** The holder, and the instance that is described. */
    private record Described(LockDescriptor.Holder holder, String instance) {}

    private final LockOperations locks;

    private final LockMonitor monitor;

    private final InstanceLabel label;

    private final Clock clock;

    LockDetails(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock) {
        this.locks = locks;
        this.monitor = monitor;
        this.label = label;
        this.clock = clock;
    }

    LockDescriptor of(String name) {
        Instant now = clock.instant();
        LockActivity activity = monitor.activity();
        Optional<LockState> state = locks.inspect(name).filter(found -> !found.retained());
        Set<String> waiting = new LinkedHashSet<>();
        if (state.isPresent() && state.get().waitingInstances() > 0) {
            waiting.addAll(monitor.line(name, LINE));
        }
        if (activity.waiting().stream().anyMatch(waits -> waits.name().equals(name))) {
            waiting.add(activity.instance());
        }
        Map<String, String> labels = labels(state.map(LockState::instances).orElse(List.of()), waiting, activity);
        Described described =
                state.map(found -> describe(found, activity, now, labels)).orElse(null);
        LockDescriptor.Holder holder = described == null ? null : described.holder();
        if (described != null && described.holder().waiters() > 0) {
            waiting.add(described.instance());
        }
        return new LockDescriptor(
                name,
                state.isPresent(),
                state.map(LockState::fencingToken).orElse(null),
                state.map(LockState::remainingLease).orElse(null),
                holder,
                waiters(waiting, activity, labels),
                state.map(LockState::waitingInstances).orElse(0));
    }

    private Map<String, String> labels(List<String> holders, Set<String> waiting, LockActivity activity) {
        Set<String> others = new LinkedHashSet<>(waiting);
        others.addAll(holders);
        others.remove(activity.instance());
        return others.isEmpty() ? Map.of() : monitor.labels(others);
    }

    private List<LockDescriptor.Waiter> waiters(
            Set<String> waiting, LockActivity activity, Map<String, String> labels) {
        List<LockDescriptor.Waiter> waiters = new ArrayList<>();
        for (String id : waiting) {
            String known = id.equals(activity.instance()) ? label.text() : labels.get(id);
            waiters.add(new LockDescriptor.Waiter(id, known));
        }
        return waiters;
    }

    /**
     * A hold of this instance with a lower token than that in Redis is lost, although this instance has not detected it
     * yet; but not that of a reader, since others may have joined it meanwhile. Of several readers, one is described.
     */
    private Described describe(LockState state, LockActivity activity, Instant now, Map<String, String> labels) {
        boolean here = state.instances().contains(activity.instance());
        return activity.held().stream()
                .filter(held -> held.name().equals(state.name())
                        && (held.mode() == LockMode.SHARED ? here : held.fencingToken() >= state.fencingToken()))
                .findAny()
                .map(own -> new Described(ownHolder(state, own, activity, now), activity.instance()))
                .orElseGet(() -> describeOther(state, activity, here, labels));
    }

    /** Contacts the other instances until one has a hold: the first may have died before its entry has ended. */
    private Described describeOther(LockState state, LockActivity activity, boolean here, Map<String, String> labels) {
        List<String> others = state.instances().stream()
                .filter(id -> !id.equals(activity.instance()))
                .limit(MOST_INSTANCES)
                .toList();
        boolean replied = here || !others.isEmpty();
        for (String id : others) {
            HoldReply reply = monitor.replyOf(id, state.name());
            if (reply.hold().isPresent()) {
                return new Described(otherHolder(state, reply.hold().get()), id);
            }
            replied &= reply.replied();
        }
        String known = here ? label.text() : others.isEmpty() ? null : labels.get(others.get(0));
        LockDescriptor.Holder silent = new LockDescriptor.Holder(
                state.owner(), known, null, null, List.of(), null, 0, replied, null, state.instances());
        return new Described(silent, activity.instance());
    }

    private LockDescriptor.Holder otherHolder(LockState state, HoldReport report) {
        return new LockDescriptor.Holder(
                state.owner(),
                report.label(),
                report.caller(),
                clock.instant().minus(report.heldFor()),
                report.waits().stream().map(HoldReport.Wait::lockName).toList(),
                report.method(),
                report.waiters(),
                true,
                report.traceId(),
                state.instances());
    }

    private LockDescriptor.Holder ownHolder(
            LockState state, LockActivity.Held own, LockActivity activity, Instant now) {
        return new LockDescriptor.Holder(
                state.owner(),
                label.text(),
                own.caller(),
                now.minus(own.heldFor()),
                monitor.holdOf(activity.instance(), own.name())
                        .map(report -> report.waits().stream()
                                .map(HoldReport.Wait::lockName)
                                .toList())
                        .orElse(List.of()),
                own.origin().method(),
                own.waiters(),
                true,
                own.traceId(),
                state.instances());
    }
}
