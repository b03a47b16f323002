/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lease that was passed on inside the instance, to a caller with other wishes. */
class PassedLeaseTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private AsyncAttempt passTo(LockRequest request) {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt next = one.acquire(request.waitForever());
        world.advanceSeconds(5);
        first.close();
        return next;
    }

    private static LockRequest request(int leaseSeconds) {
        return LockRequest.of("a").lease(Duration.ofSeconds(leaseSeconds));
    }

    private long lastRenewalMillis() {
        var renewals = one.network.sent(Renew.class);
        return renewals.get(renewals.size() - 1).leases().get(0).leaseMillis();
    }

    @Test
    void untilTheNextRenewalTheOldDeadlineHolds() {
        AsyncAttempt next = passTo(request(60));

        assertThat(next.handle().remainingLease()).isEqualTo(Duration.ofMillis(24_700));
        next.close();
    }

    /** A pause that it would survive with its own lease must not end it. */
    @Test
    void aLeaseThatIsMuchShorterThanTheNextCallerRequestsIsNotPassed() {
        AsyncAttempt first = one.acquire(request(30));
        AsyncAttempt next = one.acquire(request(30).waitForever());
        world.advanceSeconds(5);
        first.handle().extend(Duration.ofSeconds(1));
        first.close();

        assertThat(next.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        world.pauseMillis(20_000);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    private long remainingInStore() {
        return world.leases.inspect("a").orElseThrow().remainingLease().toMillis();
    }

    @Test
    void aShorterLeaseIsInTheStoreAThirdOfItAfterThePass() {
        AsyncAttempt next = passTo(request(3));
        assertThat(remainingInStore()).isEqualTo(25_000);

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isEqualTo(3_000);
        world.advanceSeconds(10);
        assertThat(next.isHeld()).isTrue();
        assertThat(remainingInStore()).isLessThanOrEqualTo(3_000);
        next.close();
    }

    /** Redis may have executed it. */
    @Test
    void anExtensionWhoseReplyWasLostDoesNotRemainForTheNextHolder() {
        AsyncAttempt first = one.acquire(request(3));
        AsyncAttempt next = one.acquire(request(3).waitForever());
        world.advanceMillis(100);
        one.network.loseAnswers(1);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> first.handle().extend(Duration.ofHours(1)));
        first.close();
        assertThat(remainingInStore()).isGreaterThan(3_000_000);

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isLessThanOrEqualTo(3_000);
        next.close();
    }

    @Test
    void anExtensionWhoseReplyArrivesAfterThePassDoesNotRemainForTheNextHolder() throws Exception {
        Instance patient = world.patient("patient");
        AsyncAttempt first = patient.acquire(request(3));
        AsyncAttempt next = patient.acquire(request(3).waitForever());
        world.advanceMillis(100);
        patient.network.holdCommands();
        CompletableFuture<Void> extending = Background.run(() -> first.handle().extend(Duration.ofHours(1)));
        await().until(() -> patient.network.held().size() == 1);
        first.abandon();
        patient.network.flow();
        patient.network.take().run();
        extending.get(10, TimeUnit.SECONDS);
        assertThat(remainingInStore()).isGreaterThan(3_000_000);

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isLessThanOrEqualTo(3_000);
        next.close();
    }

    @Test
    void aShorterLeaseThatIsNotRenewedIsInTheStoreToo() {
        AsyncAttempt next = passTo(request(3).renew(false));

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isBetween(2_000L, 2_100L);
        next.close();
    }

    @Test
    void aRenewalThatFailsToShortenTheLeaseIsTriedAgain() {
        AsyncAttempt next = passTo(request(3));
        one.network.failNext(1, LeaseStoreException.Effect.NOT_EXECUTED);

        world.advanceMillis(2_000);

        assertThat(remainingInStore()).isLessThanOrEqualTo(3_000);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aRenewalThatWasUnderWayAtThePassDoesNotKeepTheLeaseLong() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt next = one.acquire(request(3).waitForever());
        one.network.holdCommands();
        world.advanceSeconds(10);
        first.close();
        one.network.flow();
        one.network.take().run();
        assertThat(remainingInStore()).isEqualTo(30_000);

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isEqualTo(3_000);
        next.close();
    }

    @Test
    void passesAmongEqualLeasesNeedNoRenewalOfTheirOwn() {
        AsyncAttempt next = passTo(request(30));

        world.advanceMillis(4_900);

        assertThat(one.network.sent(Renew.class)).isEmpty();
        next.close();
    }

    @Test
    void theNextRenewalSetsItsOwnLease() {
        AsyncAttempt next = passTo(request(60));

        world.advanceSeconds(5);

        assertThat(lastRenewalMillis()).isEqualTo(60_000);
        assertThat(next.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(59));
        next.close();
    }

    @Test
    void aRenewalThatShortensTheLeaseCountsFromWhenItIsSent() {
        AsyncAttempt next = passTo(request(2));
        one.network.holdCommands();

        world.advanceMillis(700);

        assertThat(lastRenewalMillis()).isEqualTo(2_000);
        assertThat(next.handle().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(2));
        one.network.flow();
        world.advanceSeconds(3);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aLeaseThatIsNotRenewedEndsAtItsOwnLeaseCountedFromThePass() {
        AsyncAttempt next = passTo(request(6).renew(false));

        world.advanceMillis(5_999);
        assertThat(next.isHeld()).isTrue();
        world.advanceMillis(1);

        assertThat(next.isHeld()).isFalse();
    }

    @Test
    void aLeaseThatIsNotRenewedGetsItsFullLengthAlthoughThePassedOneIsShorter() {
        AsyncAttempt next = passTo(request(60).renew(false));

        world.advanceSeconds(58);
        assertThat(next.isHeld()).isTrue();
        world.advanceSeconds(2);

        assertThat(next.isHeld()).isFalse();
    }

    @Test
    void maxHoldCountsFromTheLocalHandOver() {
        AsyncAttempt next = passTo(request(30).maxHold(Duration.ofSeconds(20)));

        world.advanceSeconds(19);
        assertThat(next.isHeld()).isTrue();
        world.advanceSeconds(1);

        assertThat(next.isHeld()).isFalse();
    }

    @Test
    void aLeaseWithLessThanAThirdLeftIsNotPassedOnButTakenAnew() {
        AsyncAttempt first = one.acquire(LockRequest.of("a").renew(false));
        AsyncAttempt next = one.acquire("a");
        world.advanceSeconds(25);

        first.close();

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(next.handle().remainingLease()).isEqualTo(Duration.ofMillis(29_700));
        next.close();
    }

    @Test
    void aRenewalUnderWayWhenTheLeaseIsPassedOnCountsForTheNextHold() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt next = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        first.close();

        one.network.flow();
        one.network.take().run();

        assertThat(next.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        next.close();
    }

    @Test
    void aPlaceInLineWithTheLeaseOfAWaiterThatHasLeftDoesNotKeepThatLease() {
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        AsyncAttempt impatient = one.acquire(request(600).waitUpTo(Duration.ofSeconds(2)));
        AsyncAttempt next = one.acquire(request(3).waitForever());
        world.advanceSeconds(3);
        assertThat(impatient.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();
        assertThat(next.isHeld()).isTrue();

        world.advanceMillis(1_000);

        assertThat(remainingInStore()).isLessThanOrEqualTo(3_000);
        next.close();
    }

    /** It would not survive the pauses for which the next caller has chosen its lease. */
    @Test
    void aPlaceInLineWithTheShortLeaseOfAWaiterThatHasLeftIsGrantedWithThatOfTheNext() {
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        AsyncAttempt impatient = one.acquire(request(1).waitUpTo(Duration.ofMillis(500)));
        AsyncAttempt next = one.acquire(request(60).waitForever());
        world.advanceMillis(500);
        assertThat(impatient.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();

        assertThat(next.isHeld()).isTrue();
        assertThat(remainingInStore()).isGreaterThan(59_000);
        world.advanceSeconds(15);
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aReplyToTheRequestOfAWaiterThatHasLeftIsAGrantWithTheLeaseOfTheNext() {
        one.network.holdCommands();
        AsyncAttempt cancelled = one.acquire(request(3).waitForever());
        AsyncAttempt next = one.acquire(request(60).waitForever());
        cancelled.cancel();
        SimulatedCall<?> request = one.network.held().get(0);
        one.network.flow();
        request.run();

        assertThat(next.isHeld()).isTrue();
        assertThat(remainingInStore()).isGreaterThan(59_000);
        next.close();
    }
}
