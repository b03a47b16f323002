/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShutdownTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    static EngineSettings withGrace(Duration grace) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(), defaults.waitUpTo(), null, Duration.ofMillis(200), 32, Duration.ZERO, grace);
    }

    private final Instance one = world.instance("one", withGrace(Duration.ZERO));

    private final Instance patient = world.instance("patient", withGrace(Duration.ofMinutes(1)));

    @Test
    void waitersAreRefusedAtOnce() {
        AsyncAttempt elsewhere = patient.acquire("a");
        AsyncAttempt waiting = one.acquire("a");

        one.engine.close();

        assertThat(waiting.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("shutting down");
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    /** Its milliseconds do not fit into a long, and the engine stayed open. */
    @Test
    void aGraceWithoutLimitLastsUntilTheLastHold() {
        Instance endless = world.instance("endless", withGrace(ChronoUnit.FOREVER.getDuration()));
        AsyncAttempt hold = endless.acquire("a");
        CompletableFuture<Void> closing = Background.run(endless.engine::close);
        await().until(() -> closing.isDone() || endless.engine.context().isClosing());

        hold.abandon();

        assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void newCallersAreRefused() {
        one.engine.close();

        assertThat(one.acquire("a").failure()).isInstanceOf(LockUnavailableException.class);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.engine.acquire(LockRequest.of("a")));
    }

    @Test
    void holdsThatOutlastTheGraceAreLostAndReleased() {
        AtomicInteger told = new AtomicInteger();
        AsyncAttempt attempt = one.acquire("a");
        attempt.handle().onLost(told::incrementAndGet);

        one.engine.close();

        assertThat(told).hasValue(1);
        assertThat(world.leases.leftovers()).isEmpty();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(attempt::close)
                .withMessageContaining("shut down");
    }

    @Test
    void closingWaitsForHoldsThatEndWithinTheGraceAndLetsThemEnterAgain() throws Exception {
        LockHandle outer = patient.engine.acquire(LockRequest.of("a"));
        CompletableFuture<Void> closing = Background.run(patient.engine::close);
        await().until(patient.engine.context()::isClosing);
        LockHandle inner = patient.engine.acquire(LockRequest.of("a"));
        assertThat(closing).isNotDone();

        inner.close();
        outer.close();

        closing.get(60, TimeUnit.SECONDS);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void closingWaitsNoLongerThanACommandForReleasesThatFail() {
        one.acquire("a");
        one.network.disconnect();

        one.engine.close();

        one.reconnect();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void closingTwiceIsClosingOnce() {
        one.engine.close();
        one.engine.close();
    }

    @Test
    void anAsynchronousCallAfterTheEndFailsThroughItsStage() {
        InMemoryLeaseStore store = new InMemoryLeaseStore(world.leases, "real", new TestNetwork());
        LockEngine real =
                TestEngine.of(store).settings(withGrace(Duration.ZERO)).start();
        real.close();

        CompletableFuture<LockHandle> stage =
                real.acquireAsync(LockRequest.of("a")).toCompletableFuture();

        assertThat(stage).failsWithin(Duration.ofSeconds(60));
    }

    @Test
    void anAsynchronousWaiterOfARealEngineFailsAtTheEnd() {
        AsyncAttempt elsewhere = one.acquire("a");
        InMemoryLeaseStore store = new InMemoryLeaseStore(world.leases, "real", new TestNetwork());
        LockEngine real =
                TestEngine.of(store).settings(withGrace(Duration.ZERO)).start();
        CompletableFuture<LockHandle> stage =
                real.acquireAsync(LockRequest.of("a").waitForever()).toCompletableFuture();

        real.close();

        assertThat(stage).failsWithin(Duration.ofSeconds(60));
        elsewhere.close();
    }

    @Test
    void anInterruptTakesNothingOfTheGrace() throws Exception {
        LockHandle handle = patient.engine.acquire(LockRequest.of("a"));
        AtomicBoolean kept = new AtomicBoolean();
        Thread closing = new Thread(() -> {
            Thread.currentThread().interrupt();
            patient.engine.close();
            kept.set(Thread.currentThread().isInterrupted());
        });
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        assertThat(handle.isHeld()).isTrue();

        handle.close();

        closing.join(20_000);
        assertThat(kept).isTrue();
        assertThat(world.leases.leftovers()).isEmpty();
    }
}
