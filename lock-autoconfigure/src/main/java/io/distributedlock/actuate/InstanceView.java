/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.logging.SafeLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** The holds and waits of this instance. */
final class InstanceView {

    private static final Log log = SafeLog.of(InstanceView.class);

    /** The maximum number of requests about locks of other instances for one response. */
    private static final int MOST_REQUESTED = 20;

    /** After this time, none of these requests is sent any more. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int OF_ONE_LOCK = 100;

    private final LockOperations locks;

    private final LockMonitor monitor;

    private final InstanceLabel label;

    private final Clock clock;

    private final LongSupplier nanos;

    InstanceView(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock) {
        this(locks, monitor, label, clock, System::nanoTime);
    }

    InstanceView(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock, LongSupplier nanos) {
        this.nanos = nanos;
        this.locks = locks;
        this.monitor = monitor;
        this.label = label;
        this.clock = clock;
    }

    /** That many locks, with that many holds and waits of each. */
    LocksDescriptor describe(String after, int limit) {
        Instant now = clock.instant();
        LockActivity all = monitor.activity();
        TreeSet<String> names = new TreeSet<>();
        all.held().forEach(held -> names.add(held.name()));
        all.waiting().forEach(waiting -> names.add(waiting.name()));
        NavigableSet<String> behind = after.isEmpty() ? names : names.tailSet(after, false);
        List<String> page = behind.stream().limit(limit).toList();
        String next = page.size() < behind.size() ? page.get(page.size() - 1) : null;
        LockActivity shown = new LockActivity(
                all.instance(),
                all.connected(),
                all.subscribed(),
                onPage(page, all.held(), LockActivity.Held::name),
                onPage(page, all.waiting(), LockActivity.Waiting::name));
        return describe(shown, all, now, next);
    }

    private static <T> List<T> onPage(List<String> page, List<T> all, Function<T, String> nameOf) {
        Map<String, List<T>> byName = new HashMap<>();
        page.forEach(name -> byName.put(name, new ArrayList<>()));
        for (T each : all) {
            List<T> ofName = byName.get(nameOf.apply(each));
            if (ofName != null && ofName.size() < OF_ONE_LOCK) {
                ofName.add(each);
            }
        }
        return page.stream()
                .flatMap(name -> byName.getOrDefault(name, List.of()).stream())
                .toList();
    }

    private LocksDescriptor describe(LockActivity activity, LockActivity all, Instant now, @Nullable String next) {
        Map<String, Holder> holders = holders(activity);
        Map<String, String> labels = labels(activity, holders.values());
        return new LocksDescriptor(
                new LocksDescriptor.Instance(
                        activity.instance(), label.text(), activity.connected(), activity.subscribed()),
                activity.held().stream().map(held -> held(held, now)).toList(),
                activity.waiting().stream()
                        .map(waiting -> {
                            Holder holder = holders.get(waiting.name());
                            return holder == null
                                    ? waiting(waiting, null, null, now)
                                    : waiting(waiting, holder.id(), holder.labelIn(labels), now);
                        })
                        .toList(),
                all.held().size(),
                all.waiting().size(),
                next);
    }

    static LocksDescriptor.Held held(LockActivity.Held held, Instant now) {
        Duration sinceRenewal = held.sinceRenewal();
        return new LocksDescriptor.Held(
                held.name(),
                held.fencingToken(),
                now.minus(held.heldFor()),
                held.remainingLease(),
                held.caller(),
                held.origin().method(),
                held.reentries(),
                held.waiters(),
                held.traceId(),
                sinceRenewal == null ? null : now.minus(sinceRenewal),
                held.mode());
    }

    static LocksDescriptor.Waiting waiting(
            LockActivity.Waiting waiting, @Nullable String holder, @Nullable String holderLabel, Instant now) {
        Duration left = waiting.remainingWait();
        return new LocksDescriptor.Waiting(
                waiting.name(),
                waiting.caller(),
                now.minus(waiting.waitedFor()),
                left == null ? null : now.plus(left),
                holder,
                waiting.origin().method(),
                waiting.traceId(),
                holderLabel);
    }

    /**
     * Who holds a lock.
     *
     * @param instance whether the id is that of an instance, and no owner or list of readers
     * @param label the label of the instance, or of the instances of an explicit owner or of readers
     */
    private record Holder(
            String id, boolean instance, @Nullable String label) {

        static Holder of(LockState state) {
            return new Holder(state.owner(), state.ownerIsInstance(), state.label());
        }

        @Nullable
        String labelIn(Map<String, String> labels) {
            String known = instance ? labels.get(id) : null;
            return known == null ? label : known;
        }
    }

    /** By lock, as far as known here or found in Redis. */
    private Map<String, Holder> holders(LockActivity activity) {
        Map<String, Holder> found = new HashMap<>();
        Set<String> unknown = new LinkedHashSet<>();
        for (LockActivity.Waiting waiting : activity.waiting()) {
            String holder = waiting.holder();
            if (holder != null) {
                found.put(waiting.name(), new Holder(holder, true, null));
            } else if (unknown.size() < MOST_REQUESTED) {
                unknown.add(waiting.name());
            }
        }
        if (activity.connected()) {
            inspect(unknown, found);
        }
        return found;
    }

    /** Ends at the first failure: when Redis hangs, each of these requests lasts for one command time-out. */
    private void inspect(Set<String> names, Map<String, Holder> found) {
        long begin = nanos.getAsLong();
        try {
            for (String name : names) {
                if (nanos.getAsLong() - begin >= LONGEST_NANOS) {
                    return;
                }
                locks.inspect(name).ifPresent(state -> found.put(name, Holder.of(state)));
            }
        } catch (LockUnavailableException ex) {
            log.debug("The holders of locks that are waited for are unknown", ex);
        }
    }

    private Map<String, String> labels(LockActivity activity, Collection<Holder> holders) {
        Map<String, String> labels = new HashMap<>();
        Set<String> others = holders.stream()
                .filter(Holder::instance)
                .map(Holder::id)
                .collect(Collectors.toCollection(HashSet::new));
        if (others.remove(activity.instance())) {
            labels.put(activity.instance(), label.text());
        }
        if (!others.isEmpty()) {
            labels.putAll(monitor.labels(others));
        }
        return labels;
    }
}
