/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What must be true of a run, whatever went wrong in it. */
final class SimChecker {

    /**
     * Holds of this name are taken away by force, of which their holders may hear late; only tokens and waits are
     * judged.
     */
    static final String MEDDLED = "owned and meddled with";

    static final String[] NAMES = {"plain", "plain", "owned", MEDDLED};

    /** How long a caller whose wait is over waits for the answer to a last request. */
    private static final long LAST_REPLY_NANOS = 100 * Simulation.MILLI;

    private static final long SLACK = 60 * Simulation.MILLI;

    /** A caller wants a lock. */
    record AsyncAttempt(SimNode node, LockRequest request, long since, long pausedBefore) {}

    private record Held(AsyncAttempt attempt, DefaultLockHandle handle) {

        boolean excludes(Held other) {
            return !isSameOwner(other.attempt.request()) && !(reads() && other.reads());
        }

        boolean reads() {
            return attempt.request().mode() == LockMode.SHARED;
        }

        boolean isSameOwner(LockRequest other) {
            String owner = attempt.request().owner();
            return owner != null && owner.equals(other.owner());
        }
    }

    private final Simulation sim;

    private final List<AsyncAttempt> open = new ArrayList<>();

    private final List<Held> held = new ArrayList<>();

    private final Map<String, Held> latest = new HashMap<>();

    private int grants;

    private int losses;

    /** Thrown again at every later look, as those who call the checker may swallow what it throws. */
    private @Nullable AssertionError failure;

    SimChecker(Simulation sim) {
        this.sim = sim;
    }

    int grants() {
        return grants;
    }

    int losses() {
        return losses;
    }

    AsyncAttempt asked(SimNode node, LockRequest request) {
        AsyncAttempt attempt = new AsyncAttempt(node, request, sim.elapsed(), node.pausedInAll());
        open.add(attempt);
        return attempt;
    }

    // ---- bounded waiting

    void decided(AsyncAttempt attempt) {
        open.remove(attempt);
        long wait = waitOf(attempt.request());
        if (wait >= 0) {
            long bound = Math.max(wait, 100 * Simulation.MILLI) + LAST_REPLY_NANOS + SLACK;
            long paused = attempt.node().pausedInAll() - attempt.pausedBefore();
            long waited = sim.elapsed() - attempt.since() - paused;
            verify(waited <= bound, () -> attempt + " waited " + waited + " ns, paused " + paused);
        }
    }

    private static long waitOf(LockRequest request) {
        return Objects.requireNonNull(request.waitUpTo()).toNanos();
    }

    /** No caller waits or holds any more. */
    boolean isDone() {
        return open.isEmpty() && held.isEmpty();
    }

    void verifyAllDecided() {
        verify(isDone(), () -> "Still open: " + open + ", still held: " + held);
    }

    // ---- exclusion and tokens

    void granted(AsyncAttempt attempt, DefaultLockHandle handle) {
        Held granted = new Held(attempt, handle);
        held.add(granted);
        grants++;
        if (handle.isHeld() && !handle.name().equals(MEDDLED)) {
            Held before = latest.get(handle.name());
            verify(before == null || isInOrder(before, granted), () -> granted + " after " + before);
            boolean highest = before == null || before.handle().fencingToken() <= handle.fencingToken();
            latest.put(handle.name(), highest ? granted : before);
        }
        verifyHolds();
    }

    private static boolean isInOrder(Held before, Held granted) {
        long difference = granted.handle().fencingToken() - before.handle().fencingToken();
        return difference > 0
                || (before.reads() && granted.reads())
                || (difference == 0 && before.isSameOwner(granted.attempt().request()));
    }

    void closed(DefaultLockHandle handle) {
        if (!handle.isHeld()) {
            losses++;
        }
        held.removeIf(each -> each.handle() == handle);
    }

    void verifyHolds() {
        verify(failure == null, () -> "");
        Map<String, Held> certain = new HashMap<>();
        for (Held each : held) {
            if (each.handle().isHeld() && !each.handle().name().equals(MEDDLED)) {
                Held other = certain.putIfAbsent(each.handle().name(), each);
                verify(other == null || !each.excludes(other), () -> other + " and " + each);
            }
        }
    }

    // ---- the end

    void verifyNothingIsLeft() {
        verify(sim.leases.leftovers().isEmpty(), () -> "Left: " + sim.leases.leftovers());
        for (SimNode node : sim.nodes) {
            int locks = node.engine.locks().size();
            int timers = node.engine.timers().size();
            verify(locks + timers == 0, () -> locks + " locks and " + timers + " timers left");
        }
    }

    private void verify(boolean truth, Supplier<String> otherwise) {
        if (!truth && failure == null) {
            failure = new AssertionError("After " + sim.elapsed() / Simulation.MILLI + " ms: " + otherwise.get());
        }
        if (failure != null) {
            throw failure;
        }
    }
}
