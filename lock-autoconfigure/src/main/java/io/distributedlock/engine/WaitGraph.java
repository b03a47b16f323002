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

    private final EngineContext engine;

    WaitGraph(EngineContext engine) {
        this.engine = engine;
    }

    /** Whether that thread has the hold of that name and token. */
    boolean holds(Object owner, String name, long token) {
        boolean[] found = new boolean[1];
        look(
                name,
                (hold, waiters, now) ->
                        found[0] = hold != null && hold.isHeld(now) && hold.token == token && hold.owner() == owner);
        return found[0];
    }

    private void look(String name, NamedLock.Look look) {
        NamedLock lock = engine.locks().find(name);
        if (lock != null) {
            lock.look(look);
        }
    }

    /** What the instance says of that lock, or null if no caller of it holds it. */
    @Nullable
    HoldReport report(String name, String label) {
        Object[] owner = new Object[1];
        HoldReport[] report = new HoldReport[1];
        look(name, (hold, waiters, now) -> {
            if (hold != null && hold.isHeld(now)) {
                owner[0] = hold.owner();
                report[0] = new HoldReport(
                        name,
                        hold.token,
                        label,
                        Waiter.describe(hold.owner()),
                        hold.origin().method(),
                        Duration.ofNanos(Math.max(0, now - hold.grantedAt)),
                        List.of());
            }
        });
        HoldReport found = report[0];
        return found == null || !(owner[0] instanceof Thread thread) ? found : found.with(waitsOf(thread));
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
