/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The watchdog. */
class RenewalTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private List<Renew> renewals() {
        return one.network.sent(Renew.class);
    }

    @Test
    void aLeaseIsRenewedAtAThirdOfItToItsFullLength() {
        AsyncAttempt attempt = one.acquire("a");

        world.advanceMillis(9_700);
        assertThat(renewals()).isEmpty();
        world.advanceMillis(300);

        assertThat(renewals())
                .singleElement()
                .satisfies(renewal ->
                        assertThat(renewal.leases().get(0).leaseMillis()).isEqualTo(30_000));
        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        attempt.close();
    }

    @Test
    void aHoldLastsAsLongAsItsCallerWants() {
        AsyncAttempt attempt = one.acquire("a");

        world.advance(Duration.ofHours(1));

        assertThat(attempt.isHeld()).isTrue();
        assertThat(renewals()).hasSizeBetween(359, 375);
        attempt.close();
    }

    @Test
    void renewalsThatAreDueTogetherAreSentInBatchesOfAHundred() {
        List<AsyncAttempt> attempts =
                IntStream.range(0, 250).mapToObj(i -> one.acquire("a" + i)).toList();

        world.advanceSeconds(10);

        assertThat(renewals().stream().map(renewal -> renewal.leases().size())).containsExactly(100, 100, 50);
        attempts.forEach(AsyncAttempt::close);
    }

    @Test
    void aRenewalThatFailsIsTriedAgainSoon() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(3, Effect.UNKNOWN);

        world.advanceSeconds(12);

        assertThat(renewals()).hasSize(4);
        world.advanceSeconds(30);
        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void aRefusedRenewalIsNoLoss() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(5, Effect.REFUSED);

        world.advanceSeconds(40);

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void aRenewalWithoutAReplyIsOfUnknownOutcomeAfterTheCommandTimeout() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        assertThat(renewals()).hasSize(1);
        world.advanceMillis(2_000);
        assertThat(renewals()).hasSize(2);
        one.network.flow();
        one.network.take();

        one.network.take().run();

        assertThat(attempt.handle().remainingLease()).isGreaterThan(Duration.ofSeconds(29));
        attempt.close();
    }

    /** A later renewal is under way by then. */
    @Test
    void theReplyToARenewalThatIsOverdueCountsFromWhenItWasSent() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        SimulatedCall<?> late = one.network.take().execute();
        world.advanceMillis(2_000);

        late.answer();

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(29_700 - 2_000));
        one.network.flow();
        one.network.take().run();
        attempt.close();
    }

    @Test
    void aRenewalCountsFromWhenItWasSent() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        world.advanceMillis(1_000);
        one.network.take().run();

        assertThat(attempt.handle().remainingLease()).isLessThanOrEqualTo(Duration.ofMillis(28_700));
        one.network.flow();
        attempt.close();
    }

    @Test
    void aRenewalIsRetriedAtOnceWhenTheConnectionIsRestored() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        world.advanceMillis(10_100);
        int before = renewals().size();

        one.reconnect();
        world.runTimers();

        assertThat(renewals()).hasSize(before + 1);
        attempt.close();
    }

    @Test
    void aLaterReconnectDoesNotRenewALeaseThatWasRenewedSince() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.UNKNOWN);
        world.advanceSeconds(12);
        assertThat(renewals()).as("the one that failed, and the next one").hasSize(2);

        one.reconnect();
        world.runTimers();

        assertThat(renewals()).hasSize(2);
        attempt.close();
    }

    @Test
    void nothingIsRenewedAfterTheRelease() {
        one.acquire("a").close();
        world.advanceSeconds(60);

        assertThat(renewals()).isEmpty();
    }

    @Test
    void theReplyToARenewalAfterTheReleaseIsIgnored() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        SimulatedCall<?> renewal = one.network.take();
        one.network.flow();
        attempt.close();
        AsyncAttempt next = one.acquire("a");

        renewal.run();

        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void theReplyToARenewalOfAnEarlierLeaseDoesNotCountForTheNext() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire(LockRequest.of("a").waitForever());
        one.network.holdCommands();
        world.advanceSeconds(10);
        SimulatedCall<?> earlier = one.network.take();
        world.leases.forgetAll();
        earlier.execute();
        one.engine
                .locks()
                .revoked("a", one.network.sent(AcquireCommand.class).get(0).number());
        assertThat(first.isHeld()).isFalse();
        one.network.take().run();
        world.advanceSeconds(10);
        assertThat(second.isHeld()).isTrue();

        earlier.answer();

        assertThat(second.isHeld()).isTrue();
        one.network.flow();
        one.network.take().run();
        second.close();
    }

    @Test
    void aRenewalThatArrivesAfterTheReleaseCreatesNothing() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        SimulatedCall<?> renewal = one.network.take();
        one.network.flow();
        attempt.close();

        renewal.run();

        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aLeaseThatIsNotToBeRenewedIsNot() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        world.advanceSeconds(31);

        assertThat(renewals()).isEmpty();
        assertThat(attempt.isHeld()).isFalse();
    }

    @Test
    void aLeaseIsNotRenewedBeyondMaxHold() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(35)));

        world.advanceSeconds(34);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceSeconds(1);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(attempt.handle().isHeld()).isFalse();
        assertThat(renewals())
                .allSatisfy(renewal ->
                        assertThat(renewal.leases().get(0).leaseMillis()).isLessThanOrEqualTo(26_000));
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void maxHoldComesFromTheSettingsIfTheRequestHasNone() {
        EngineSettings settings = new EngineSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(3),
                Duration.ofSeconds(2),
                32,
                Duration.ofMillis(10),
                Duration.ZERO);
        AsyncAttempt attempt = world.instance("limited", settings).acquire("a");

        world.advanceSeconds(3);

        assertThat(attempt.isHeld()).isFalse();
    }
}
