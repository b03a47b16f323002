/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockActivity;
import io.distributedlock.LockActivity.Held;
import io.distributedlock.LockActivity.Waiting;
import io.distributedlock.LockEvent;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockNames;
import io.distributedlock.LockState;
import io.distributedlock.LongHoldEvent;
import io.distributedlock.LongWaitEvent;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Finds waits and holds of this instance that last too long, and reports each once: by an event, and by a warning if it
 * is one of the first {@link #LINES} of a check. It forgets those that have ended, so its size is bounded by the holds
 * and waits of the instance. The events follow after the warnings of a check, since their listeners are code of the
 * application. Used by one thread at a time.
 */
final class SlowLocks {

    private static final Log log = SafeLog.of(SlowLocks.class);

    /**
     * The maximum number of lines of one check, and of holders that it requests from Redis: a fault that stops
     * thousands of callers must not fill the log.
     */
    static final int LINES = 10;

    private final LockMonitor monitor;

    private final Function<String, @Nullable LockState> holderOf;

    private final Consumer<? super LockEvent> events;

    private final Duration waitLimit;

    private final Duration holdLimit;

    private final LongSupplier nanos;

    private Set<String> reportedWaits = new HashSet<>();

    private final ReportedHolds reportedHolds = new ReportedHolds();

    private final Set<Class<?>> failed = new HashSet<>();

    /** @param instance whether the id is that of an instance, and no owner or list of readers */
    private record Holder(
            String id,
            boolean instance,
            boolean explicit,
            @Nullable String label) {

        static Holder of(LockState state) {
            return new Holder(state.owner(), state.ownerIsInstance(), state.explicitOwner(), state.label());
        }

        String shown(Map<String, String> labels) {
            String known = label == null && instance ? labels.get(id) : label;
            if (known == null) {
                return LockNames.show(id);
            }
            return explicit
                    ? LockNames.show(id) + ", in " + LockNames.show(known)
                    : LockNames.show(known) + " (" + id + ")";
        }
    }

    /**
     * @param holderOf requests the holder of a lock from Redis; null if unknown
     * @param waitLimit how long a wait may last, zero for any time
     * @param holdLimit how long a hold may last, zero for any time
     */
    SlowLocks(
            LockMonitor monitor,
            Function<String, @Nullable LockState> holderOf,
            Consumer<? super LockEvent> events,
            Duration waitLimit,
            Duration holdLimit) {
        this(monitor, holderOf, events, waitLimit, holdLimit, System::nanoTime);
    }

    SlowLocks(
            LockMonitor monitor,
            Function<String, @Nullable LockState> holderOf,
            Consumer<? super LockEvent> events,
            Duration waitLimit,
            Duration holdLimit,
            LongSupplier nanos) {
        this.monitor = monitor;
        this.holderOf = holderOf;
        this.events = events;
        this.waitLimit = waitLimit;
        this.holdLimit = holdLimit;
        this.nanos = nanos;
    }

    void look() {
        long before = nanos.getAsLong();
        LockActivity activity = monitor.activity();
        long after = nanos.getAsLong();
        List<LockEvent> found = new ArrayList<>();
        if (!waitLimit.isZero()) {
            lookAtWaits(activity.waiting(), found);
        }
        if (!holdLimit.isZero()) {
            List<Held> slow = activity.held().stream()
                    .filter(held -> held.heldFor().compareTo(holdLimit) >= 0)
                    .toList();
            report(reportedHolds.fresh(slow, before, after), found);
        }
        found.forEach(this::publish);
    }

    private void publish(LockEvent event) {
        try {
            events.accept(event);
        } catch (RuntimeException | Error ex) {
            String type = event.getClass().getSimpleName();
            if (failed.add(event.getClass())) {
                log.warn("A listener of " + type + " has failed; further failures are logged for debugging", ex);
            } else {
                log.debug("A listener of " + type + " has failed", ex);
            }
        }
    }

    private void lookAtWaits(List<Waiting> all, List<LockEvent> found) {
        Map<String, List<Waiting>> slow = new LinkedHashMap<>();
        all.forEach(waiting ->
                slow.computeIfAbsent(waiting.name(), name -> new ArrayList<>()).add(waiting));
        slow.values().removeIf(waiters -> oldest(waiters).waitedFor().compareTo(waitLimit) < 0);
        List<String> fresh = slow.keySet().stream()
                .filter(name -> !reportedWaits.contains(name))
                .toList();
        reportedWaits = new HashSet<>(slow.keySet());
        warnOfWaits(fresh.stream().limit(LINES).map(slow::get).toList(), found);
        fresh.stream()
                .skip(LINES)
                .map(slow::get)
                .forEach(waiters -> found.add(event(waiters, oldest(waiters).holder())));
        reportMore(fresh.size(), "locks are waited for");
    }

    private static Waiting oldest(List<Waiting> waiters) {
        return Collections.max(waiters, Comparator.comparing(Waiting::waitedFor));
    }

    /** Requests the labels of all holders' instances at once. */
    private void warnOfWaits(List<List<Waiting>> locks, List<LockEvent> found) {
        Map<String, Holder> holders = new HashMap<>();
        for (List<Waiting> waiters : locks) {
            Waiting oldest = oldest(waiters);
            Holder holder = holder(oldest);
            if (holder != null) {
                holders.put(oldest.name(), holder);
            }
        }
        Set<String> unknown = holders.values().stream()
                .filter(holder -> holder.instance() && holder.label() == null)
                .map(Holder::id)
                .collect(Collectors.toSet());
        Map<String, String> labels = unknown.isEmpty() ? Map.of() : monitor.labels(unknown);
        for (List<Waiting> waiters : locks) {
            Holder holder = holders.get(oldest(waiters).name());
            warn(waiters, holder, labels);
            found.add(event(waiters, holder == null ? null : holder.id()));
        }
    }

    private @Nullable Holder holder(Waiting waiting) {
        String here = waiting.holder();
        if (here != null) {
            return new Holder(here, true, false, null);
        }
        LockState state = holderOf.apply(waiting.name());
        return state == null ? null : Holder.of(state);
    }

    private static void warn(List<Waiting> waiters, @Nullable Holder holder, Map<String, String> labels) {
        Waiting oldest = oldest(waiters);
        log.warn(lock(oldest.name()) + " has been waited for by '" + LockNames.show(oldest.caller()) + "'"
                + in(oldest.origin().method())
                + " for " + oldest.waitedFor().toMillis() + " ms; " + waiters.size()
                + " callers of this instance wait for it, held by "
                + (holder == null ? "an unknown holder" : holder.shown(labels)));
    }

    private static LockEvent event(List<Waiting> waiters, @Nullable String holder) {
        Waiting oldest = oldest(waiters);
        return new LongWaitEvent(oldest.name(), oldest.waitedFor(), waiters.size(), holder);
    }

    private static void report(List<Held> fresh, List<LockEvent> found) {
        fresh.stream().limit(LINES).forEach(SlowLocks::warn);
        fresh.forEach(held -> found.add(event(held)));
        reportMore(fresh.size(), "locks are held");
    }

    private static void warn(Held held) {
        log.warn(lock(held.name()) + " has been held by '" + LockNames.show(held.caller()) + "'"
                + in(held.origin().method()) + " for " + held.heldFor().toMillis() + " ms, token "
                + held.fencingToken() + "; " + held.waiters() + " callers of this instance wait for it");
    }

    private static LockEvent event(Held held) {
        return new LongHoldEvent(
                held.name(),
                held.fencingToken(),
                held.heldFor(),
                held.caller(),
                held.origin().method(),
                held.waiters());
    }

    private static void reportMore(int fresh, String what) {
        if (fresh > LINES) {
            log.warn((fresh - LINES) + " more " + what + " for too long; see the endpoint locks");
        }
    }

    private static String lock(String name) {
        return "Lock '" + LockNames.show(name) + "'";
    }

    private static String in(@Nullable String method) {
        return method == null ? "" : " in " + method;
    }
}
