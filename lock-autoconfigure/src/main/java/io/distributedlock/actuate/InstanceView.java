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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What this instance holds and waits for. */
final class InstanceView {

    /** How many locks of other instances are asked about in one answer. */
    private static final int ASKED_ABOUT = 20;

    private final LockOperations locks;

    private final LockMonitor monitor;

    private final InstanceLabel label;

    private final Clock clock;

    InstanceView(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock) {
        this.locks = locks;
        this.monitor = monitor;
        this.label = label;
        this.clock = clock;
    }

    LocksDescriptor describe() {
        LockActivity activity = monitor.activity();
        Instant now = clock.instant();
        Map<String, String> holders = holders(activity);
        Map<String, String> labels = labels(activity, holders);
        return new LocksDescriptor(
                new LocksDescriptor.Instance(
                        activity.instance(), label.text(), activity.connected(), activity.subscribed()),
                activity.held().stream().map(held -> held(held, now)).toList(),
                activity.waiting().stream()
                        .map(waiting -> {
                            String holder = holders.get(waiting.name());
                            return waiting(waiting, holder, holder == null ? null : labels.get(holder), now);
                        })
                        .toList());
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

    /** By lock. Of each lock Redis is asked once, of the first few locks only, and not while it is away. */
    private Map<String, String> holders(LockActivity activity) {
        Map<String, String> found = new HashMap<>();
        Set<String> asked = new HashSet<>();
        for (LockActivity.Waiting waiting : activity.waiting()) {
            String name = waiting.name();
            if (waiting.holder() != null) {
                found.put(name, waiting.holder());
            } else if (activity.connected() && asked.size() < ASKED_ABOUT && asked.add(name)) {
                holder(name).ifPresent(holder -> found.put(name, holder));
            }
        }
        return found;
    }

    private Optional<String> holder(String name) {
        try {
            return locks.inspect(name).map(LockState::owner);
        } catch (LockUnavailableException ex) {
            return Optional.empty();
        }
    }

    private Map<String, String> labels(LockActivity activity, Map<String, String> holders) {
        Map<String, String> labels = new HashMap<>();
        Set<String> others = new HashSet<>(holders.values());
        if (others.remove(activity.instance())) {
            labels.put(activity.instance(), label.text());
        }
        if (!others.isEmpty()) {
            labels.putAll(monitor.labels(others));
        }
        return labels;
    }
}
