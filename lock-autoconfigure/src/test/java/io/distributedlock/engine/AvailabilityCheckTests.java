/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockAvailability;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.testing.Noise;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A check acquires a lock and releases it, whatever becomes of its replies. */
class AvailabilityCheckTests {

    private static EngineSettings settings(Duration commandTimeout) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                defaults.maxHold(),
                commandTimeout,
                defaults.maxPasses(),
                defaults.maxBatch(),
                defaults.shutdownGrace());
    }

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", settings(Duration.ofMillis(100)));

    private LockAvailability check() {
        return one.engine.availability("one");
    }

    @Test
    void itIsOneAcquisitionAndOneRelease() {
        assertThat(check().isFull()).isTrue();

        assertThat(one.network.sent()).hasSize(2);
        assertThat(one.network.sent(AcquireCommand.class)).singleElement().satisfies(sent -> {
            assertThat(sent.name()).isEqualTo("health:one");
            assertThat(sent.queue()).isFalse();
        });
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aFailureLastsFromTheFirstCheckThatFoundItToTheNextOneThatDoesNot() {
        one.network.failNext(1, Effect.REFUSED);
        assertThat(check().failures().get(0).lasting()).isZero();
        world.advanceSeconds(5);
        one.network.failNext(1, Effect.NOT_EXECUTED);
        assertThat(check().failures().get(0).lasting()).isEqualTo(Duration.ofSeconds(5));
        assertThat(check().isFull()).isTrue();
        world.advanceSeconds(5);
        one.network.failNext(1, Effect.UNKNOWN);
        assertThat(check().failures().get(0).lasting()).isZero();
    }

    /** Such as the one of a closed channel. */
    @Test
    void aFailureWithoutAMessageIsNamed() {
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(
                        () -> one.engine.query("a", () -> CompletableFuture.failedFuture(new ClosedChannelException())))
                .withMessage("Lock 'a' is unavailable: ClosedChannelException");
    }

    @Test
    void aGrantThatIsNotConfirmedIsReleased() {
        one.network.confirmNone(1);
        assertThat(check().isFull()).isFalse();

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aGrantThatComesTooLateIsReleased() {
        one.network.holdCommands();
        assertThat(check().failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.error()).isEqualTo("no reply within 100 ms"));
        one.network.flow();

        one.network.take().run();

        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(check().isFull()).isTrue();
    }

    /** An acquisition of the same id as one that Redis has already executed is not refused as busy. */
    @Test
    void aLostReplyDoesNotDisturbTheNextCheck() {
        one.network.loseAnswers(1);
        assertThat(check().isFull()).isFalse();

        assertThat(check().isFull()).isTrue();

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aCheckThatBeginsDuringAnotherOneHasItsResult() throws Exception {
        Instance patient = world.instance("patient", settings(Noise.patience()));
        patient.network.holdCommands();
        FutureTask<LockAvailability> first = new FutureTask<>(() -> patient.engine.availability("patient"));
        FutureTask<LockAvailability> second = new FutureTask<>(() -> patient.engine.availability("patient"));
        new Thread(first).start();
        await().until(() -> patient.network.sent().size() == 1);
        Thread other = new Thread(second);
        other.start();
        await().until(() -> other.getState() == Thread.State.WAITING);

        patient.network.flow();
        patient.network.take().run();

        assertThat(first.get().isFull()).isTrue();
        assertThat(second.get()).isSameAs(first.get());
        assertThat(patient.network.sent(AcquireCommand.class)).hasSize(1);
    }

    @Test
    void anInterruptedCallerEndsTheCheckForNoOtherOne() throws Exception {
        Instance patient = world.instance("patient", settings(Noise.patience()));
        patient.network.holdCommands();
        AtomicBoolean interrupted = new AtomicBoolean();
        FutureTask<LockAvailability> first = new FutureTask<>(() -> {
            LockAvailability found = patient.engine.availability("patient");
            interrupted.set(Thread.currentThread().isInterrupted());
            return found;
        });
        Thread interruptee = new Thread(first);
        interruptee.start();
        await().until(() -> patient.network.sent().size() == 1);
        FutureTask<LockAvailability> second = new FutureTask<>(() -> patient.engine.availability("patient"));
        Thread other = new Thread(second);
        other.start();
        await().until(() -> other.getState() == Thread.State.WAITING);

        interruptee.interrupt();
        await().until(() -> first.isDone() || !interruptee.isInterrupted());
        await().until(() -> first.isDone() || interruptee.getState() == Thread.State.TIMED_WAITING);
        patient.network.flow();
        patient.network.take().run();

        assertThat(second.get().isFull()).isTrue();
        assertThat(first.get()).isSameAs(second.get());
        assertThat(interrupted).isTrue();
    }

    /** With a shorter lease, the confirmations of replicas would have less time here than those of callers' grants. */
    @ParameterizedTest
    @ValueSource(longs = {100, 2_000, 60_000})
    void itsLeaseLeavesTheWholeCommandTimeoutForTheReply(long timeoutMillis) {
        EngineSettings settings = settings(Duration.ofMillis(timeoutMillis));
        Instance instance = world.instance("any", settings);

        assertThat(instance.engine.availability("any").isFull()).isTrue();

        assertThat(instance.network.sent(AcquireCommand.class))
                .singleElement()
                .satisfies(sent -> assertThat(settings.replyTimeout(sent.leaseMillis() * 1_000_000))
                        .isEqualTo(timeoutMillis * 1_000_000));
    }
}
