/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.InMemoryLeaseStore.ForceRelease;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ExtendTests {

    /** Calls that wait for an answer wait by the real clock; so they do not wait long here. */
    private static final EngineSettings IMPATIENT = withCommandTimeout(Duration.ofMillis(100));

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", IMPATIENT);

    @Test
    void theRemainingLeaseIsSetToTheGivenTime() {
        AsyncAttempt attempt = one.acquire("a");
        world.advanceSeconds(5);

        attempt.handle().extend(Duration.ofSeconds(100));

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofSeconds(99));
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.remainingLease()).isEqualTo(Duration.ofSeconds(100)));
        attempt.close();
    }

    @Test
    void laterRenewalsDoNotShortenIt() {
        AsyncAttempt attempt = one.acquire("a");
        attempt.handle().extend(Duration.ofSeconds(100));

        for (int i = 0; i < 100; i++) {
            world.advanceSeconds(1);
            assertThat(attempt.handle().remainingLease())
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(i < 70 ? 98 - i : 19));
        }
        attempt.close();
    }

    @Test
    void aLeaseMayBeShortened() {
        AsyncAttempt attempt = one.acquire("a");

        attempt.handle().extend(Duration.ofSeconds(3));

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(2_970));
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.remainingLease()).isEqualTo(Duration.ofSeconds(3)));
        attempt.close();
    }

    @Test
    void aShorterLeaseCountsAlthoughItsReplyIsLost() {
        AsyncAttempt attempt = one.acquire("a");
        Instance two = world.instance("two");
        one.network.loseAnswers(1);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(100)));
        one.network.failNext(100, Effect.NOT_EXECUTED);
        AsyncAttempt elsewhere = two.acquire("a");

        for (int i = 0; i < 200; i++) {
            world.advanceMillis(1);
            assertThat(attempt.isHeld() && elsewhere.isGranted()).isFalse();
        }

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(1);
        world.advanceSeconds(61);
    }

    /** Another renewal is under way by then, which cannot make the lease shorter. */
    @Test
    void aReplyThatArrivesAfterALaterRenewalWasSentCounts() throws Exception {
        Instance patient = world.patient("patient");
        AsyncAttempt attempt = patient.acquire(LockRequest.of("a").lease(Duration.ofMillis(300)));
        patient.network.holdCommands();
        CompletableFuture<Void> extending =
                Background.run(() -> attempt.handle().extend(Duration.ofSeconds(60)));
        await().until(() -> patient.network.held().size() == 1);

        world.advanceMillis(150);
        patient.network.take().run();

        extending.get(10, TimeUnit.SECONDS);
        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        patient.network.take().run();
        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        patient.network.flow();
        attempt.close();
    }

    /** As the reaction to the loss does that interrupts the holder. */
    @Test
    void aHoldThatIsLostDuringTheCallIsReportedAsLostAlthoughTheCallIsInterrupted() throws Exception {
        Instance patient = world.instance("patient", withCommandTimeout(Duration.ofHours(1)));
        AsyncAttempt attempt = patient.acquire("a");
        patient.network.holdCommands();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread extending = new Thread(
                () -> failure.set(catchThrowable(() -> attempt.handle().extend(Duration.ofMinutes(1)))));
        extending.start();
        await().until(() -> patient.network.held().size() == 1);

        world.advanceSeconds(31);
        extending.interrupt();
        extending.join(Noise.LATEST.toMillis());

        assertThat(failure.get()).isInstanceOf(LockLostException.class);
        assertThat(failure.get().getSuppressed()).singleElement().isInstanceOf(LockInterruptedException.class);
        patient.network.flow();
        world.advanceSeconds(61);
    }

    @Test
    void theCallWaitsForAThirdOfTheLeaseAtMost() {
        Instance patient = world.instance("patient", withCommandTimeout(Duration.ofHours(1)));
        AsyncAttempt attempt = patient.acquire("a");
        patient.network.holdCommands();

        CompletableFuture<Void> extending =
                Background.run(() -> attempt.handle().extend(Duration.ofMillis(300)));

        assertThat(extending)
                .failsWithin(Noise.LATEST)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockUnavailableException.class);
        patient.network.flow();
        attempt.close();
        world.advanceSeconds(61);
    }

    private static EngineSettings withCommandTimeout(Duration commandTimeout) {
        return new EngineSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                null,
                commandTimeout,
                32,
                Duration.ofMillis(10),
                Duration.ZERO);
    }

    @Test
    void anExtensionThatIsOvertakenByAnotherOneSucceeds() throws Exception {
        Instance patient = world.patient("patient");
        AsyncAttempt attempt = patient.acquire("a");
        patient.network.holdCommands();
        CompletableFuture<Void> first = Background.run(() -> attempt.handle().extend(Duration.ofSeconds(40)));
        await().until(() -> patient.network.held().size() == 1);
        CompletableFuture<Void> second = Background.run(() -> attempt.handle().extend(Duration.ofSeconds(60)));
        await().until(() -> patient.network.held().size() == 2);

        patient.network.take().run();
        first.get(10, TimeUnit.SECONDS);
        patient.network.take().run();
        second.get(10, TimeUnit.SECONDS);

        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(58));
        patient.network.flow();
        attempt.close();
    }

    /** It certainly did not happen, so no copy of it can turn up. */
    @Test
    void aShorterLeaseThatWasRefusedIsForgotten() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.NOT_EXECUTED);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofSeconds(1)));

        world.advanceSeconds(1);

        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(25));
        attempt.close();
    }

    @Test
    void aLateCopyOfAnExtensionToAShorterLeaseDoesNoHarmIfNothingWasConfirmedSince() {
        AsyncAttempt attempt = one.acquire("a");
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(200)));
        SimulatedCall<?> late = one.network.take();
        one.network.flow();
        one.network.disconnect();
        world.advanceMillis(150);
        assertThat(attempt.isHeld()).isTrue();
        late.execute();

        for (int i = 0; i < 1_500; i++) {
            world.advanceMillis(1);
            assertThat(attempt.isHeld() && elsewhere.isGranted()).isFalse();
        }

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(61);
    }

    @Test
    void aLateCopyOfAnExtensionToAShorterLeaseDoesNoHarm() {
        AsyncAttempt attempt = one.acquire("a");
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(200)));
        SimulatedCall<?> late = one.network.take();
        one.network.flow();
        world.advanceMillis(150);
        assertThat(attempt.isHeld()).isTrue();
        late.execute();
        one.network.disconnect();

        for (int i = 0; i < 3_200; i++) {
            world.advanceMillis(10);
            assertThat(attempt.isHeld() && elsewhere.isGranted()).isFalse();
        }

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(61);
    }

    @Test
    void aLateCopyDoesNoHarmAlthoughALaterShorteningWasConfirmed() {
        AsyncAttempt attempt = one.acquire("a");
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(200)));
        SimulatedCall<?> late = one.network.take();
        one.network.flow();
        attempt.handle().extend(Duration.ofMillis(180));
        world.advanceMillis(150);
        assertThat(attempt.isHeld()).isTrue();
        late.execute();
        one.network.disconnect();

        for (int i = 0; i < 3_200; i++) {
            world.advanceMillis(10);
            assertThat(attempt.isHeld() && elsewhere.isGranted()).isFalse();
        }

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(61);
    }

    @Test
    void aLateCopyOfAnExtensionToALongerLeaseDoesNotShortenWhatItHasBecomeByThen() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(2)));
        AsyncAttempt next = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(60)));
        one.network.holdCommands();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofSeconds(3)));
        SimulatedCall<?> copy = one.network.take();
        one.network.flow();
        attempt.close();
        world.advanceSeconds(2);
        assertThat(next.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(50));

        copy.execute();
        world.advanceSeconds(10);

        assertThat(world.instance("two").tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aHardEndIsMoved() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        attempt.handle().extend(Duration.ofSeconds(50));

        world.advanceMillis(49_499);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceMillis(501);

        assertThat(attempt.isHeld()).isFalse();
    }

    private AsyncAttempt acquireForThirtySeconds() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        one.network.forgetSent();
        return attempt;
    }

    private void assertExtensionFails(AsyncAttempt attempt, long millis) {
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(millis)));
    }

    private void assertEndsAfter(AsyncAttempt attempt, long millis, int commands) {
        world.advanceMillis(millis);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceMillis(500);
        assertThat(attempt.isHeld()).isFalse();
        assertThat(one.network.sent(Renew.class)).hasSize(commands);
    }

    @ParameterizedTest
    @CsvSource({"NOT_EXECUTED,60000", "REFUSED,60000", "NOT_EXECUTED,1000", "REFUSED,1000"})
    void anExtensionThatWasRefusedDoesNotMoveAHardEnd(Effect effect, long millis) {
        AsyncAttempt attempt = acquireForThirtySeconds();
        one.network.failNext(1, effect);
        assertExtensionFails(attempt, millis);

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(29_700));
        assertEndsAfter(attempt, 29_600, 1);
    }

    /** The caller counts on the end that it knows, although the store keeps the lease for longer. */
    @Test
    void anExtensionWithoutAReplyDoesNotMoveAHardEnd() {
        AsyncAttempt attempt = acquireForThirtySeconds();
        one.network.loseAnswers(1);
        assertExtensionFails(attempt, 60_000);

        assertEndsAfter(attempt, 29_600, 1);
        assertThat(world.leases.inspect("a")).isEmpty();
    }

    @Test
    void aLateReplyToAnExtensionDoesNotMoveAHardEnd() {
        AsyncAttempt attempt = acquireForThirtySeconds();
        one.network.holdCommands();
        assertExtensionFails(attempt, 60_000);
        one.network.take().run();
        one.network.flow();

        assertThat(attempt.handle().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(30));
        assertEndsAfter(attempt, 29_600, 1);
    }

    /** The store may have executed it, and nothing restores a lease that is not renewed. */
    @ParameterizedTest
    @EnumSource(
            value = Effect.class,
            names = {"UNKNOWN", "PARTIAL", "UNCONFIRMED"})
    void aHardEndIsEarlierAfterAShorterExtensionWithoutAReply(Effect effect) {
        AsyncAttempt attempt = acquireForThirtySeconds();
        one.network.failNext(1, effect);
        assertExtensionFails(attempt, 2_000);

        assertEndsAfter(attempt, 1_900, 1);
    }

    @Test
    void aHardEndIsMovedByAnExtensionThatSucceedsAfterOneThatFailed() {
        AsyncAttempt attempt = acquireForThirtySeconds();
        one.network.failNext(1, Effect.UNKNOWN);
        assertExtensionFails(attempt, 2_000);
        attempt.handle().extend(Duration.ofSeconds(50));

        assertEndsAfter(attempt, 49_499, 2);
    }

    @ParameterizedTest
    @EnumSource(value = Effect.class, names = "UNCONFIRMED", mode = EnumSource.Mode.EXCLUDE)
    void renewalsDoNotRepeatAnExtensionThatFailed(Effect effect) {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, effect);
        assertExtensionFails(attempt, 100_000);

        for (int i = 0; i < 60; i++) {
            world.advanceSeconds(1);
            assertThat(attempt.handle().remainingLease()).isBetween(Duration.ofSeconds(18), Duration.ofSeconds(30));
        }
        attempt.close();
    }

    @Test
    void maxHoldStillLimitsAnExtension() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(40)));

        attempt.handle().extend(Duration.ofSeconds(100));
        assertThat(attempt.handle().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(40));
        world.advanceSeconds(40);

        assertThat(attempt.isHeld()).isFalse();
    }

    @Test
    void aLostOrClosedHoldCannotBeExtended() {
        AsyncAttempt lost = one.acquire("a");
        world.leases.forgetAll();
        AsyncAttempt closed = one.acquire("b");
        closed.close();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> lost.handle().extend(Duration.ofSeconds(1)));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> closed.handle().extend(Duration.ofSeconds(1)));
        assertThat(lost.isHeld()).isFalse();
    }

    @Test
    void aTimeThatIsNoLeaseIsRefusedAndChangesNothing() {
        AsyncAttempt attempt = one.acquire("a");

        assertThatIllegalArgumentException().isThrownBy(() -> attempt.handle().extend(Duration.ZERO));
        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(29_700));
        attempt.close();
    }

    @Test
    void ifNoReplyArrivesALongerLeaseDoesNotCount() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.UNKNOWN);

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofSeconds(100)));

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(29_700));
        attempt.close();
    }

    @Test
    void anExtensionThatCouldNotBeSentInTimeIsNotSentLater() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        one.network.forgetSent();

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(500)));
        one.network.reconnect();

        assertThat(one.network.sent(Renew.class)).isEmpty();
        attempt.close();
    }

    @Test
    void aForcedReleaseThatCouldNotBeSentInTimeIsNotSentLater() {
        one.network.disconnect();

        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> one.engine.forceRelease("a"));
        one.network.reconnect();

        assertThat(one.network.sent(ForceRelease.class)).isEmpty();
    }
}
