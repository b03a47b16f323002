/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReleaseTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    /** Closing waits for an answer that comes only when the test moves the time. */
    private static CompletableFuture<Void> closeElsewhere(AsyncAttempt attempt, Instance of) {
        CompletableFuture<Void> closing = Background.run(attempt::close);
        await().until(() -> !of.network.sent(ReleaseCommand.class).isEmpty());
        return closing;
    }

    @Test
    void aReleaseThatFindsNoEntryAfterOneOfUnknownOutcomeSucceeds() {
        Instance patient = world.patient("patient");
        AsyncAttempt attempt = patient.acquire("a");
        patient.network.loseAnswers(1);

        CompletableFuture<Void> closing = closeElsewhere(attempt, patient);
        await().until(() -> patient.engine.timers().size() == 1);
        world.advanceMillis(100);

        assertThat(closing).succeedsWithin(Noise.patience());
        assertThat(patient.network.sent(ReleaseCommand.class)).hasSize(2);
    }

    @Test
    void aReleaseThatFindsNoEntryReportsTheLossUnlessAnEarlierOutcomeIsUnknown() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(attempt::close)
                .withMessageContaining("no longer existed");
    }

    /** As a copy of the request that was on its way for long: Redis was down, and another caller came first. */
    @Test
    void aReleaseThatFindsItsIdInLineReportsTheLoss() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire("a");
        SimulatedCall<?> copy = one.network.held().get(0);
        one.network.flow();
        copy.fail(Effect.UNKNOWN);
        world.advanceSeconds(1);
        assertThat(attempt.isHeld()).isTrue();
        world.leases.forgetAll();
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        copy.execute();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(attempt::close)
                .withMessageContaining("another caller");
        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
    }

    @Test
    void aReleaseThatFindsAnotherOwnerReportsTheLossAndChangesNothing() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();
        AsyncAttempt elsewhere = world.instance("two").acquire("a");

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(attempt::close)
                .withMessageContaining("another caller");
        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
    }

    @Test
    void aRefusedReleaseIsReportedAndNotRepeated() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.REFUSED);

        assertThatExceptionOfType(LockReleaseUnconfirmedException.class).isThrownBy(attempt::close);

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
    }

    @Test
    void aReleaseThatCouldNotBeSentIsRepeated() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(3, Effect.NOT_EXECUTED);

        attempt.abandon();
        assertThat(world.leases.leftovers()).isNotEmpty();
        world.advanceMillis(800);

        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(4);
    }

    @Test
    void aReleaseIsRetriedAtOnceWhenTheConnectionIsRestored() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        attempt.abandon();

        one.reconnect();

        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aReleaseIsNotRetriedAfterTheLeaseHasEnded() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        attempt.abandon();
        world.advanceSeconds(31);
        one.network.forgetSent();

        one.reconnect();
        world.advanceSeconds(10);

        assertThat(one.network.sent()).isEmpty();
    }

    @Test
    void aReleaseWithoutAReplyIsRetriedAfterTheCommandTimeout() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        attempt.abandon();

        world.advanceMillis(1_999);
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        world.advanceMillis(1);

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(2);
        one.network.flow();
        one.network.take();
        one.network.take().run();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void theLateReplyToARetriedReleaseIsIgnored() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        attempt.abandon();
        world.advanceMillis(2_000);
        SimulatedCall<?> first = one.network.take();
        SimulatedCall<?> second = one.network.take();
        one.network.flow();
        second.run();
        AsyncAttempt next = one.acquire("a");

        first.run();

        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void anInterruptedCallerStillReleasesAndKeepsItsFlag() {
        AsyncAttempt attempt = one.acquire("a");
        Thread.currentThread().interrupt();

        attempt.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aCloseWithoutAReplyFailsAfterTheCommandTimeout() {
        EngineSettings impatient = new EngineSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                null,
                Duration.ofMillis(100),
                32,
                Duration.ofMillis(10),
                Duration.ZERO);
        Instance two = world.instance("two", impatient);
        AsyncAttempt attempt = two.acquire("a");
        two.network.holdCommands();

        assertThatExceptionOfType(LockReleaseUnconfirmedException.class)
                .isThrownBy(attempt::close)
                .withMessageContaining("is not confirmed");

        two.network.flow();
        two.network.take().run();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aReleaseIsTriedAsLongAsTheStoreMayHaveTheLeaseAndNotOnlyAsLongAsItCountsHere() {
        AsyncAttempt passedOn = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(30)));
        AsyncAttempt shorter =
                one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(1)).waitForever());
        passedOn.close();
        world.advanceSeconds(11);
        assertThat(shorter.handle().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        one.network.disconnect();

        shorter.abandon();
        world.advanceSeconds(5);
        one.reconnect();

        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void anAttemptWithoutAReplyIsWithdrawnBeforeTheNext() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        attempt.abandon();
        SimulatedCall<?> first = one.network.take();

        world.advanceMillis(2_100);

        assertThat(first.answer).as("what was not sent yet never is").isCancelled();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(2);
        one.network.flow();
        one.network.take().run();
    }

    /** The lease that it had is over by then, and the store keeps the lock for the rest of its minimum. */
    @Test
    void anUnconfirmedReleaseWithAMinimumNamesThatAsWell() {
        LockRequest request = LockRequest.of("a").lease(Duration.ofMillis(1_500));
        for (LockRequest each : List.of(request, request.minHold(Duration.ofSeconds(6)))) {
            AsyncAttempt attempt = one.acquire(each);
            one.network.holdCommands();
            CompletableFuture<Void> closed = attempt.handle().closeAsync().toCompletableFuture();
            world.advanceSeconds(1);

            assertThat(closed)
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableThat()
                    .withMessageContaining(
                            each.minHold() == null ? "when its lease ends" : "its lease and its minHold");
            one.network.flow();
            world.advanceSeconds(10);
        }
    }

    /** It was collected for sending when the hold was closed. */
    @Test
    void aRenewalThatFollowsTheCloseDoesNotKeepTheLockBeyondItsMinimum() {
        AsyncAttempt attempt =
                one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(30)).minHold(Duration.ofSeconds(15)));
        one.network.holdCommands();
        world.advanceSeconds(11);
        SimulatedCall<?> renewal = one.network.take();
        attempt.handle().closeAsync();
        one.network.take().run();
        renewal.run();
        one.network.flow();
        world.advanceSeconds(3);
        assertThat(world.leases.leftovers()).isNotEmpty();

        world.advanceSeconds(2);

        assertThat(world.leases.leftovers()).isEmpty();
    }
}
