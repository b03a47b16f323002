/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Instances around one in-memory store, with time that only tests move. After each test nothing may be left: no lock in
 * use and no timer in an engine, and in the store nothing that outlives two leases.
 */
final class EngineTestSupport implements AfterEachCallback {

    private static final long SECOND = 1_000_000_000;

    final ManualClock clock;

    final SharedLeases leases;

    private final List<Instance> instances = new ArrayList<>();

    EngineTestSupport() {
        this(ManualClock.startingAt(-5 * SECOND));
    }

    EngineTestSupport(ManualClock clock) {
        this.clock = clock;
        this.leases = new SharedLeases(clock);
    }

    Instance instance(String id) {
        return instance(id, EngineSettings.DEFAULTS);
    }

    Instance instance(String id, EngineSettings settings) {
        Instance instance = new Instance(id, leases, settings, clock);
        instances.add(instance);
        return instance;
    }

    /** Its callers wait for a reply in real time, and longer than a machine pauses. */
    Instance patient(String id) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return instance(
                id,
                new EngineSettings(
                        defaults.lease(),
                        defaults.waitUpTo(),
                        defaults.maxHold(),
                        Noise.patience(),
                        defaults.maxPasses(),
                        defaults.maxBatch(),
                        defaults.shutdownGrace()));
    }

    void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    void advanceSeconds(long seconds) {
        advance(Duration.ofSeconds(seconds));
    }

    /** Moves the time, and lets each timer run when it is due. */
    void advance(Duration duration) {
        long left = duration.toNanos();
        int inVain = 0;
        runTimers();
        while (left > 0) {
            long step = Math.max(1, timeToNextTimer(left));
            inVain = step == 1 ? inVain + 1 : 0;
            assertThat(inVain).as("times that a timer was due and stayed so").isLessThan(10_000);
            clock.advanceNanos(step);
            left -= step;
            runTimers();
        }
    }

    private long timeToNextTimer(long limit) {
        long step = limit;
        for (Instance instance : instances) {
            step = instance.engine.timers().plan(clock.nanos(), step);
        }
        return step;
    }

    void runTimers() {
        instances.forEach(instance -> instance.engine.runTimers());
    }

    /** As if nothing happened meanwhile; no timer runs. */
    void pauseNanos(long nanos) {
        clock.advanceNanos(nanos);
    }

    /** A hundred microseconds: time enough for some tokens of local holds, and no timer is due. */
    void pauseMoment() {
        pauseNanos(100_000);
    }

    /** As if all instances were stopped meanwhile. */
    void pauseMillis(long millis) {
        clock.advanceMillis(millis);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            return;
        }
        for (Instance instance : instances) {
            assertThat(instance.engine.locks().size()).as("locks in use").isZero();
            assertThat(instance.engine.timers().size()).as("armed timers").isZero();
            assertThat(instance.listener.wrong())
                    .as("acquisitions told wrongly")
                    .isEmpty();
        }
        advance(EngineSettings.DEFAULTS.lease().multipliedBy(2));
        assertThat(leases.leftovers()).as("left in the store").isEmpty();
    }
}
