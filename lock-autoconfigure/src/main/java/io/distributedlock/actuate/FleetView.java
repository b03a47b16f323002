/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.FleetReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The holds and waits of all instances, in pages by the names of locks. Each instance returns the first locks after a
 * name. A page ends where the first of these lists ends, so that no lock is omitted between two pages.
 */
final class FleetView {

    static final int DEFAULT_LIMIT = 100;

    static final int MAX_LIMIT = 500;

    private final LockMonitor monitor;

    private final Clock clock;

    FleetView(LockMonitor monitor, Clock clock) {
        this.monitor = monitor;
        this.clock = clock;
    }

    FleetDescriptor describe(String after, int limit) {
        // Not after the replies: one instance that does not reply would move the times of all others.
        Instant now = clock.instant();
        FleetReport fleet = monitor.fleet(after, limit);
        List<InstanceReport> all = fleet.instances();
        String last = lastOfPage(all, limit);
        Predicate<String> isShown = name -> last == null || name.compareTo(last) <= 0;
        Map<String, InstanceReport> holders = new HashMap<>();
        all.forEach(each -> each.held().forEach(held -> holders.putIfAbsent(held.name(), each)));
        return new FleetDescriptor(
                all.stream().findFirst().map(FleetView::instance).orElseGet(() -> instance(monitor.activity())),
                all.stream().map(FleetView::state).toList(),
                fleet.complete(),
                all.stream()
                        .flatMap(each -> each.held().stream()
                                .filter(held -> isShown.test(held.name()))
                                .map(held -> held(each, InstanceView.held(held, now))))
                        .sorted(Comparator.comparing(FleetDescriptor.Held::name))
                        .toList(),
                all.stream()
                        .flatMap(each -> each.waiting().stream()
                                .filter(wait -> isShown.test(wait.longest().name()))
                                .map(wait -> waiting(each, wait, holders, now)))
                        .sorted(Comparator.comparing(FleetDescriptor.Waiting::name))
                        .toList(),
                last);
    }

    /** Null if this is the last page. */
    private static @Nullable String lastOfPage(List<InstanceReport> all, int limit) {
        TreeSet<String> names = new TreeSet<>();
        all.forEach(each -> {
            each.held().forEach(held -> names.add(held.name()));
            each.waiting().forEach(wait -> names.add(wait.longest().name()));
        });
        Stream<String> ends = all.stream().map(InstanceReport::cutAfter).filter(Objects::nonNull);
        if (names.size() > limit) {
            ends = Stream.concat(ends, names.stream().skip(limit - 1L).limit(1));
        }
        return ends.min(Comparator.naturalOrder()).orElse(null);
    }

    private static LocksDescriptor.Instance instance(InstanceReport self) {
        return new LocksDescriptor.Instance(
                self.instance(), String.valueOf(self.label()), self.connected(), self.subscribed());
    }

    private static LocksDescriptor.Instance instance(LockActivity self) {
        return new LocksDescriptor.Instance(self.instance(), self.instance(), self.connected(), self.subscribed());
    }

    private static FleetDescriptor.InstanceState state(InstanceReport each) {
        return new FleetDescriptor.InstanceState(
                each.instance(),
                each.label(),
                each.replied(),
                each.connected(),
                each.subscribed(),
                each.heldTotal(),
                each.waitingTotal());
    }

    private static FleetDescriptor.Held held(InstanceReport of, LocksDescriptor.Held held) {
        return new FleetDescriptor.Held(
                held.name(),
                of.instance(),
                of.label(),
                held.fencingToken(),
                held.since(),
                held.remainingLease(),
                held.caller(),
                held.method(),
                held.reentries(),
                held.waiters(),
                held.traceId(),
                held.lastRenewal(),
                held.mode());
    }

    private static FleetDescriptor.Waiting waiting(
            InstanceReport of, InstanceReport.Wait wait, Map<String, InstanceReport> holders, Instant now) {
        InstanceReport holder = holders.get(wait.longest().name());
        LocksDescriptor.Waiting longest = InstanceView.waiting(
                wait.longest(), holder == null ? null : holder.instance(), holder == null ? null : holder.label(), now);
        return new FleetDescriptor.Waiting(
                longest.name(),
                of.instance(),
                of.label(),
                wait.callers(),
                longest.caller(),
                longest.since(),
                longest.until(),
                longest.holder(),
                longest.method(),
                longest.traceId(),
                longest.holderLabel());
    }
}
