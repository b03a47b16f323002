/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.HoldReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMode;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Shows what this instance holds and waits for, shows one lock, and takes a lock away. A lock name may have slashes:
 * what comes after {@code locks/} is the name. Web servers refuse or change some paths (an encoded slash, two slashes
 * in a row); {@code locks?name=} takes every name. Taking away needs
 * {@code management.endpoint.locks.access=unrestricted}.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private static final Log log = LogFactory.getLog(LocksEndpoint.class);

    /** How many locks of other instances are asked about in one answer. */
    private static final int ASKED_ABOUT = 20;

    private final LockOperations locks;

    private final LockMonitor monitor;

    private final InstanceLabel label;

    private final Clock clock;

    public LocksEndpoint(LockOperations locks, LockMonitor monitor, InstanceLabel label) {
        this(locks, monitor, label, Clock.systemUTC());
    }

    LocksEndpoint(LockOperations locks, LockMonitor monitor, InstanceLabel label, Clock clock) {
        this.locks = locks;
        this.monitor = monitor;
        this.label = label;
        this.clock = clock;
    }

    /** What this instance holds and waits for; or the lock of that name, as {@link #lock} shows it. */
    @ReadOperation
    public Object locks(@Nullable String name) {
        return name == null ? locks() : describe(name);
    }

    private LocksDescriptor locks() {
        LockActivity activity = monitor.activity();
        Instant now = clock.instant();
        Map<String, Optional<String>> holders = new HashMap<>();
        return new LocksDescriptor(
                new LocksDescriptor.Instance(
                        activity.instance(), label.text(), activity.connected(), activity.subscribed()),
                activity.held().stream().map(held -> held(held, now)).toList(),
                activity.waiting().stream()
                        .map(waiting -> waiting(waiting, holder(activity, waiting, holders), now))
                        .toList());
    }

    private static LocksDescriptor.Held held(LockActivity.Held held, Instant now) {
        return new LocksDescriptor.Held(
                held.name(),
                held.fencingToken(),
                now.minus(held.heldFor()),
                held.remainingLease(),
                held.caller(),
                held.origin().method(),
                held.reentries(),
                held.waiters(),
                held.traceId());
    }

    private static LocksDescriptor.Waiting waiting(LockActivity.Waiting waiting, @Nullable String holder, Instant now) {
        Duration left = waiting.remainingWait();
        return new LocksDescriptor.Waiting(
                waiting.name(),
                waiting.caller(),
                now.minus(waiting.waitedFor()),
                left == null ? null : now.plus(left),
                holder,
                waiting.origin().method(),
                waiting.traceId());
    }

    /** Of each lock Redis is asked once, of the first few locks only, and not while it is away. */
    private @Nullable String holder(
            LockActivity activity, LockActivity.Waiting waiting, Map<String, Optional<String>> asked) {
        if (waiting.holder() != null || !activity.connected()) {
            return waiting.holder();
        }
        if (asked.size() >= ASKED_ABOUT && !asked.containsKey(waiting.name())) {
            return null;
        }
        return asked.computeIfAbsent(waiting.name(), this::holder).orElse(null);
    }

    private Optional<String> holder(String name) {
        try {
            return locks.inspect(name).map(LockState::owner);
        } catch (LockUnavailableException ex) {
            return Optional.empty();
        }
    }

    /** One lock, as Redis and this instance see it. */
    @ReadOperation
    public LockDescriptor lock(@Selector(match = Match.ALL_REMAINING) String... name) {
        return describe(String.join("/", name));
    }

    private LockDescriptor describe(String name) {
        LockActivity activity = monitor.activity();
        Optional<LockState> state = locks.inspect(name).filter(found -> !found.retained());
        boolean waits =
                activity.waiting().stream().anyMatch(waiting -> waiting.name().equals(name));
        return new LockDescriptor(
                name,
                state.isPresent(),
                state.map(LockState::fencingToken).orElse(null),
                state.map(LockState::remainingLease).orElse(null),
                state.map(found -> holder(found, activity)).orElse(null),
                waits ? List.of(new LockDescriptor.Waiter(activity.instance(), label.text())) : List.of(),
                state.map(LockState::waitingInstances).orElse(0));
    }

    /**
     * A hold of this instance with a lower token than that in Redis is lost, although this instance does not know it
     * yet; but not that of a reader, as others may have joined it since. Of several readers, one is described.
     */
    private LockDescriptor.Holder holder(LockState state, LockActivity activity) {
        Optional<LockActivity.Held> own = activity.held().stream()
                .filter(held -> held.name().equals(state.name())
                        && (held.mode() == LockMode.SHARED || held.fencingToken() >= state.fencingToken()))
                .findAny();
        List<String> instances = List.of(state.owner().split(", "));
        boolean here = own.isPresent() || instances.contains(activity.instance());
        HoldReport elsewhere =
                here ? null : monitor.holdOf(instances.get(0), state.name()).orElse(null);
        if (elsewhere != null) {
            return new LockDescriptor.Holder(
                    state.owner(),
                    elsewhere.label(),
                    elsewhere.caller(),
                    clock.instant().minus(elsewhere.heldFor()),
                    elsewhere.waits().stream().map(HoldReport.Wait::lockName).toList(),
                    elsewhere.method(),
                    true);
        }
        List<String> waitingFor = own.map(held -> waitingFor(held, activity)).orElse(List.of());
        return new LockDescriptor.Holder(
                state.owner(),
                here ? label.text() : null,
                own.map(LockActivity.Held::caller).orElse(null),
                own.map(held -> clock.instant().minus(held.heldFor())).orElse(null),
                waitingFor,
                own.map(held -> held.origin().method()).orElse(null),
                here);
    }

    /** Callers are told apart by the names of their threads; asynchronous ones cannot be. */
    private static List<String> waitingFor(LockActivity.Held held, LockActivity activity) {
        return activity.waiting().stream()
                .filter(waiting -> waiting.caller().equals(held.caller())
                        && !waiting.caller().equals("asynchronous"))
                .map(LockActivity.Waiting::name)
                .toList();
    }

    /** Takes the lock away from its holder, which learns of it. Answers 204, or 404 if nobody held it. */
    @DeleteOperation
    public WebEndpointResponse<Void> forceRelease(@Selector(match = Match.ALL_REMAINING) String... name) {
        return takeAway(String.join("/", name));
    }

    /** As {@link #forceRelease}, for names that cannot be part of a path. */
    @DeleteOperation
    public WebEndpointResponse<Void> forceReleaseNamed(String name) {
        return takeAway(name);
    }

    private WebEndpointResponse<Void> takeAway(String name) {
        boolean released = locks.forceRelease(name);
        log.warn("Lock '" + forLog(name) + "': " + (released ? "taken away" : "to be taken away, but nobody held it")
                + ", as asked for through the locks endpoint");
        return new WebEndpointResponse<>(released ? 204 : 404);
    }

    /** A name comes from outside: it must not begin a line of its own in the log, nor fill it. */
    private static String forLog(String name) {
        String oneLine = name.replaceAll("[\\p{Cntrl}\\p{Zl}\\p{Zp}]", "?");
        return oneLine.length() <= 200 ? oneLine : oneLine.substring(0, 200) + "...";
    }
}
