/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One simulated instance: an engine, its network, its callers, and the pauses in which nothing of it moves. */
final class SimNode {

    static final int CHANNELS = 4;

    private static final int OTHER = 3;

    private static final long[] LEASES = {60, 150, 400, 1_000};

    private static final long[] WAITS = {0, 30, 300, 2_000, -1};

    private final Simulation sim;

    private final SimNetwork network;

    final LockEngine engine;

    private final InMemoryLeaseStore store;

    private long pausedUntil;

    private long pausedInAll;

    private final long[] resumeDelays = new long[CHANNELS];

    private long tickNotBefore;

    SimNode(Simulation sim, String id) {
        this.sim = sim;
        this.network = new SimNetwork(sim, this);
        this.store = new InMemoryLeaseStore(sim.leases, id, network);
        EngineSettings settings = new EngineSettings(
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                null,
                Duration.ofMillis(100),
                sim.random.nextInt(5),
                Duration.ofMillis(sim.random.nextInt(30)),
                Duration.ZERO,
                Duration.ofMillis(sim.random.nextBoolean() ? 0 : sim.random.nextInt(500)),
                EngineSettings.Release.ASYNC,
                100);
        this.engine = TestEngine.of(store)
                .settings(settings)
                .callbacks(work -> sim.after(sim.millisUpTo(2), this, OTHER, work))
                .at(sim.clock);
    }

    // ---- time

    boolean isPaused() {
        return pausedUntil > sim.elapsed();
    }

    long pausedInAll() {
        return pausedInAll;
    }

    long resumesAt(int channel) {
        return pausedUntil + resumeDelays[channel];
    }

    long nextTick() {
        long due = sim.elapsed() + engine.timers().plan(sim.clock.nanos(), 3_600_000 * Simulation.MILLI);
        return Math.max(Math.max(due, pausedUntil), tickNotBefore);
    }

    void tick() {
        engine.runTimers();
        tickNotBefore = sim.elapsed() + (sim.fault(10) ? sim.millisUpTo(3) : 0);
    }

    private void pause() {
        long length = sim.fault(30) ? sim.millisUpTo(2_500) : sim.millisUpTo(100);
        pausedUntil = sim.elapsed() + length;
        pausedInAll += length;
        for (int i = 0; i < CHANNELS; i++) {
            resumeDelays[i] = sim.millisUpTo(20);
        }
        tickNotBefore = pausedUntil + sim.millisUpTo(20);
    }

    // ---- faults

    void start() {
        int callers = 1 + sim.random.nextInt(4);
        for (int i = 0; i < callers; i++) {
            sim.after(sim.millisUpTo(200), this, OTHER, this::call);
        }
        sim.after(sim.millisUpTo(1_500), this::misfortune);
    }

    private void misfortune() {
        if (!sim.isFaulty()) {
            return;
        }
        switch (sim.random.nextInt(4)) {
            case 0 -> pause();
            case 1 -> network.disconnect(sim.millisUpTo(600));
            case 2 -> network.slowDown(sim.millisUpTo(400));
            default -> meddle();
        }
        sim.after(sim.millisUpTo(1_500), this::misfortune);
    }

    /** An operator takes the lock away by force, or gives a hold back by its owner's name. */
    private void meddle() {
        if (sim.random.nextBoolean()) {
            store.forceRelease(SimChecker.MEDDLED, 0);
        } else {
            store.releaseOwner(SimChecker.MEDDLED, "o1", 0);
        }
    }

    void heal() {
        network.heal();
        pausedUntil = Math.min(pausedUntil, sim.elapsed());
        tickNotBefore = Math.min(tickNotBefore, sim.elapsed());
    }

    // ---- callers

    private void call() {
        LockRequest request = request();
        SimChecker.AsyncAttempt attempt = sim.checker.asked(this, request);
        CompletableFuture<LockHandle> stage = engine.acquireAsync(request).toCompletableFuture();
        stage.whenComplete((handle, failure) -> decided(attempt, handle));
        if (sim.random.nextInt(10) == 0) {
            sim.after(sim.millisUpTo(100), this, OTHER, () -> stage.cancel(false));
        }
    }

    private LockRequest request() {
        String name = SimChecker.NAMES[sim.random.nextInt(SimChecker.NAMES.length)];
        LockRequest request = LockRequest.of(name)
                .lease(Duration.ofMillis(LEASES[sim.random.nextInt(LEASES.length)]))
                .waitUpTo(Duration.ofMillis(WAITS[sim.random.nextInt(WAITS.length)]))
                .renew(sim.random.nextInt(4) > 0)
                .reentrant(sim.random.nextInt(4) > 0);
        if (request.renew() && sim.random.nextInt(6) == 0) {
            request = request.maxHold(Duration.ofMillis(10 + sim.random.nextInt(491)));
        }
        boolean named = name.startsWith("owned") && sim.random.nextInt(4) > 0;
        if (!named && sim.random.nextBoolean()) {
            return request.mode(LockMode.SHARED);
        }
        return named ? request.owner("o" + sim.random.nextInt(2)) : request;
    }

    private void decided(SimChecker.AsyncAttempt attempt, @Nullable LockHandle handle) {
        sim.checker.decided(attempt);
        if (handle instanceof DefaultLockHandle granted) {
            sim.checker.granted(attempt, granted);
            long length = sim.random.nextInt(5) == 0 ? sim.millisUpTo(1_500) : sim.millisUpTo(15);
            if (sim.random.nextInt(5) == 0) {
                sim.after(length / 2, this, OTHER, () -> extend(granted));
            }
            sim.after(length, this, OTHER, () -> close(granted));
        } else {
            callAgain();
        }
    }

    private void extend(DefaultLockHandle handle) {
        SimHolds.extend(engine, handle, 10 + sim.random.nextInt(600));
    }

    private void close(DefaultLockHandle handle) {
        sim.checker.closed(handle);
        handle.abandon();
        callAgain();
    }

    private void callAgain() {
        if (sim.isFaulty()) {
            sim.after(sim.millisUpTo(60), this, OTHER, this::call);
        }
    }
}
