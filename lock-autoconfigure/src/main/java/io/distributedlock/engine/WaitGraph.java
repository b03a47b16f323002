/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.HoldReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who of this instance holds what, and what the same threads wait for. Each lock is looked at under its own monitor.
 */
final class WaitGraph {

    /** How many readers of one lock are looked at. */
    private static final int MOST_READERS = 16;

    private final LockEngine engine;

    WaitGraph(LockEngine engine) {
        this.engine = engine;
    }

    /** A hold that was seen, and whose it is. */
    private record Seen(Object owner, HoldReport report) {}

    /** Whether that thread has the hold of that name and token. */
    boolean holds(Object owner, String name, long token) {
        boolean[] found = new boolean[1];
        look(
                name,
                (hold, waiters, now) ->
                        found[0] |= hold != null && hold.isHeld(now) && hold.token == token && hold.owner() == owner);
        return found[0];
    }

    private void look(String name, NamedLock.Look look) {
        NamedLock lock = engine.locks().find(name);
        if (lock != null) {
            lock.look(look);
        }
        engine.locks().readers().of(name).forEach(reader -> reader.look(look));
    }

    /**
     * What the instance says of that lock, or null if no caller of it holds it. Of several readers, one that waits for
     * another lock is told of rather than one that does not.
     */
    @Nullable
    HoldReport report(String name, String label) {
        List<Seen> holds = new ArrayList<>();
        look(name, (hold, waiters, now) -> {
            if (hold != null && hold.isHeld(now)) {
                holds.add(new Seen(hold.owner(), report(hold, name, label, now)));
            }
        });
        HoldReport first = null;
        for (Seen seen : holds.subList(0, Math.min(holds.size(), MOST_READERS))) {
            HoldReport report =
                    seen.owner() instanceof Thread thread ? seen.report().with(waitsOf(thread)) : seen.report();
            if (first == null || (first.waits().isEmpty() && !report.waits().isEmpty())) {
                first = report;
            }
        }
        return first;
    }

    private static HoldReport report(Hold hold, String name, String label, long now) {
        return new HoldReport(
                name,
                hold.token,
                label,
                Waiter.describe(hold.owner()),
                hold.origin().method(),
                Duration.ofNanos(Math.max(0, now - hold.grantedAt)),
                List.of());
    }

    private List<HoldReport.Wait> waitsOf(Thread thread) {
        return waits(waiter -> waiter.owner == thread).stream()
                .map(waiter -> new HoldReport.Wait(waiter.terms.name(), id(waiter)))
                .toList();
    }

    /** The threads that have waited for longer than that. */
    List<Waiter> waitsLongerThan(long nanos) {
        long now = engine.now();
        return waits(waiter -> waiter.owner instanceof Thread && now - waiter.since >= nanos);
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
