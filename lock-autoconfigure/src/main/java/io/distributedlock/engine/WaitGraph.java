/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.HoldReport;
import io.distributedlock.LockOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The holds of this instance, and the locks that the same work waits for. Each lock is read under its own monitor.
 *
 * <p>A wait belongs to a hold if the waiting caller could enter the hold again: it is the thread or the logical owner
 * that holds, or its work is nested in that of the holder. Such work has to end before the hold does, unless it was
 * started and is not waited for. A thread that runs is not waiting for any work of another owner.
 */
final class WaitGraph {

    /** The maximum number of readers of one lock that are examined. */
    private static final int MOST_READERS = 16;

    private final EngineContext engine;

    WaitGraph(EngineContext engine) {
        this.engine = engine;
    }

    /** A hold, and the report about it. */
    private record Seen(Hold hold, HoldReport report) {}

    /** Whether the wait belongs to the hold of that name and token. */
    boolean holds(Waiter waiter, String name, long token) {
        boolean[] found = new boolean[1];
        look(
                name,
                (hold, waiters, now) ->
                        found[0] |= hold != null && hold.isHeld(now) && hold.token == token && isPartOf(waiter, hold));
        return found[0];
    }

    private static boolean isPartOf(Waiter waiter, Hold hold) {
        Object holder = hold.owner();
        if (holder != null && holder == waiter.owner) {
            return true;
        }
        boolean runs = holder instanceof Thread thread && thread.getState() == Thread.State.RUNNABLE;
        return !runs && hold.admits(waiter.owner, waiter.enclosing);
    }

    private void look(String name, NamedLock.Look look) {
        NamedLock lock = engine.locks().find(name);
        if (lock != null) {
            lock.look(look);
        }
        engine.locks().readers().of(name).forEach(reader -> reader.look(look));
    }

    /**
     * The report about that lock, or null if no caller of this instance holds it. Of several readers, one that waits
     * for another lock is preferred to one that does not.
     */
    @Nullable
    HoldReport report(String name, String label) {
        List<Seen> holds = new ArrayList<>();
        int waiting = engine.locks().waiters(name);
        look(name, (hold, waiters, now) -> {
            if (hold != null && hold.isHeld(now)) {
                holds.add(new Seen(hold, report(hold, name, label, waiting, now)));
            }
        });
        HoldReport first = null;
        for (Seen seen : holds.subList(0, Math.min(holds.size(), MOST_READERS))) {
            HoldReport report = seen.report().with(waitsOf(seen.hold()));
            if (first == null || (first.waits().isEmpty() && !report.waits().isEmpty())) {
                first = report;
            }
        }
        return first;
    }

    /** As {@link #report}, without the waits of the holder: reads no other lock. */
    @Nullable
    HoldReport holder(String name, String label) {
        HoldReport[] found = new HoldReport[1];
        int waiting = engine.locks().waiters(name);
        look(name, (hold, waiters, now) -> {
            if (found[0] == null && hold != null && hold.isHeld(now)) {
                found[0] = report(hold, name, label, waiting, now);
            }
        });
        return found[0];
    }

    /**
     * The same for a hold of an explicit owner. It is not followed: the locks that it waits for are irrelevant, since
     * its owner may release it in any instance.
     */
    @Nullable
    HoldReport ofExplicitOwner(String name, String label) {
        HoldReport[] found = new HoldReport[1];
        int waiting = engine.locks().waiters(name);
        engine.locks()
                .forEachOwned(
                        name,
                        lock -> lock.look((hold, waiters, now) -> {
                            if (found[0] == null && hold != null && hold.isHeld(now)) {
                                found[0] = report(hold, name, label, waiting, now);
                            }
                        }));
        return found[0];
    }

    private static HoldReport report(Hold hold, String name, String label, int waiters, long now) {
        return new HoldReport(
                name,
                hold.token,
                label,
                CallerName.of(hold.owner()),
                hold.origin().method(),
                Duration.ofNanos(Math.max(0, now - hold.grantedAt)),
                List.of(),
                waiters,
                hold.traceId());
    }

    /**
     * Outside the hold's monitor, since it reads the state of other locks. An owner that has changed meanwhile does no
     * harm, since a cycle is followed twice.
     */
    private List<HoldReport.Wait> waitsOf(Hold hold) {
        return waits(waiter -> isPartOf(waiter, hold)).stream()
                .map(waiter -> new HoldReport.Wait(waiter.request.name(), id(waiter)))
                .toList();
    }

    /** The waits that have lasted for longer than that and may be a part of holds of their callers. */
    List<Waiter> waitsLongerThan(long nanos) {
        long now = engine.now();
        return waits(waiter -> isOfKnownOwner(waiter) && now - waiter.since >= nanos);
    }

    /** Otherwise it belongs to no hold: an asynchronous request of the application without an owner. */
    private static boolean isOfKnownOwner(Waiter waiter) {
        return waiter.owner instanceof Thread || waiter.owner instanceof LockOwner || waiter.enclosing != null;
    }

    private List<Waiter> waits(Predicate<Waiter> which) {
        List<Waiter> found = new ArrayList<>();
        engine.locks()
                .forEach(lock -> lock.look((hold, waiters, now) -> {
                    for (Waiter waiter = waiters.first(); waiter != null; waiter = waiter.next) {
                        if (which.test(waiter)) {
                            found.add(waiter);
                        }
                    }
                }));
        return found;
    }

    static String id(Waiter waiter) {
        return waiter.arrival + "." + Long.toHexString(waiter.since);
    }
}
