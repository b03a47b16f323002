/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lease that stays for a while in the instance where no caller wants the lock any more. */
class RetentionTests {

    private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS.withRetention(Duration.ofSeconds(5));

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one", SETTINGS);

    private final Instance two = world.instance("two", SETTINGS);

    private long useAndClose() {
        AsyncAttempt attempt = one.acquire("a");
        long token = attempt.token();
        attempt.close();
        one.network.forgetSent();
        world.pauseMoment();
        return token;
    }

    private boolean isRetained() {
        return one.engine.locks().isRetained("a", 0);
    }

    @Test
    void theNextLocalCallerTakesItWithoutACommandAndWithTheNextToken() {
        long token = useAndClose();

        AsyncAttempt again = one.acquire("a");

        assertThat(again.isHeld()).isTrue();
        assertThat(again.token()).isGreaterThan(token);
        assertThat(isRetained()).isFalse();
        again.close();
        assertThat(one.network.sent()).isEmpty();
        world.advanceSeconds(5);
    }

    /** Otherwise no other caller could end the retention. */
    @Test
    void anInstanceThatNoRecallReachesRetainsNothing() {
        one.network.goDeaf();
        useAndClose();
        assertThat(isRetained()).isFalse();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aTryTakesItToo() {
        useAndClose();
        AsyncAttempt again = one.tryOnce("a");
        assertThat(again.isHeld()).isTrue();
        again.close();
        world.advanceSeconds(5);
    }

    @Test
    void aRetainedLeaseIsReleasedWhenItsTimeSinceTheLastReleaseIsOver() {
        useAndClose();
        world.advanceSeconds(4);
        one.acquire("a").close();
        world.advanceMillis(4_999);
        assertThat(isRetained()).isTrue();
        assertThat(world.leases.leftovers()).hasSize(1);

        world.advanceMillis(1);

        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(one.events).isEmpty();
    }

    @Test
    void anotherInstanceThatBeginsToWaitHasItAtOnce() {
        long token = useAndClose();

        AsyncAttempt elsewhere = two.acquire("a");

        assertThat(elsewhere.isHeld()).isTrue();
        assertThat(elsewhere.token()).isGreaterThan(token);
        assertThat(one.engine.locks().size()).isZero();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void anotherInstanceWhoseRecallWasLostGetsTheLockWithItsNextRequest() {
        useAndClose();
        one.network.holdMessages();
        AsyncAttempt elsewhere = two.acquire("a");
        one.network.takeMessage();
        one.network.flow();
        assertThat(elsewhere.isPending()).isTrue();

        world.advanceSeconds(1);

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void aLeaseIsNotRetainedWhenAnotherInstanceAlreadyWaits() {
        AsyncAttempt here = one.acquire("a");
        AsyncAttempt elsewhere = two.acquire("a");

        here.close();

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void aCallerThatArrivesBeforeTheRecallHasTheLockAndTheOtherInstanceGetsItNext() {
        useAndClose();
        one.network.holdMessages();
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt here = one.acquire("a");
        assertThat(here.isHeld()).isTrue();

        one.network.takeMessage().arrive();
        one.network.flow();

        assertThat(elsewhere.isPending()).isTrue();
        here.close();
        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void aLeaseShorterThanTheRetentionIsRenewedMeanwhile() {
        one.acquire(LockRequest.of("a").lease(Duration.ofMillis(300))).close();

        world.advanceMillis(4_900);
        assertThat(isRetained()).isTrue();
        assertThat(world.leases.leftovers()).hasSize(1);

        AsyncAttempt again = one.acquire(LockRequest.of("a").lease(Duration.ofMillis(300)));
        world.advanceMillis(2_000);
        assertThat(again.isHeld()).isTrue();
        again.close();
        world.advanceSeconds(5);
    }

    @Test
    void aHolderOfARetainedLeaseIsTheOwnerAndNotTheOneBefore() {
        useAndClose();
        AsyncAttempt again = one.acquire("a");
        AsyncAttempt other = one.acquire("a");
        assertThat(other.isPending()).isTrue();
        again.close();
        assertThat(other.isHeld()).isTrue();
        other.close();
        world.advanceSeconds(5);
    }

    @Test
    void theLossOfARetainedLeaseIsNotReported() {
        useAndClose();
        AsyncAttempt last = one.acquire("a");
        boolean[] told = {false};
        last.handle().onLost(() -> told[0] = true);
        last.close();

        one.engine.locks().revoked("a", 1);

        assertThat(one.engine.locks().size()).isZero();
        assertThat(told[0]).isFalse();
        assertThat(one.events).isEmpty();
        last.handle().throwIfLost();
        world.leases.forceRelease("a", 0);
    }

    @Test
    void aRetainedLeaseIsReleasedBeforeItEndsSinceTheQueueWouldEndWithIt() {
        Instance keeper = world.instance("keeper", EngineSettings.DEFAULTS.withRetention(Duration.ofMinutes(1)));
        keeper.acquire("a").close();
        keeper.network.holdCommands();
        world.advanceMillis(19_500);
        assertThat(keeper.network.sent(ReleaseCommand.class)).isEmpty();

        world.advanceMillis(1_000);

        assertThat(keeper.network.sent(ReleaseCommand.class)).hasSize(1);
        keeper.network.flow();
        world.advanceSeconds(5);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aRecallThatOvertakesTheGrantIsNotForgotten() {
        one.network.holdCommands();
        AsyncAttempt here = one.acquire("a");
        SimulatedCall<?> command = one.network.take();
        command.execute();
        one.network.flow();
        AsyncAttempt elsewhere = two.acquire("a");

        command.answer();
        here.close();

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void aReplyToARenewalFromBeforeARecallDoesNotClearIt() {
        AsyncAttempt here = one.acquire("a");
        one.network.holdCommands();
        world.advanceSeconds(10);
        SimulatedCall<?> renewal = one.network.take();
        renewal.execute();
        one.network.flow();
        AsyncAttempt elsewhere = two.acquire("a");

        renewal.answer();
        here.close();

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    /** Otherwise an instance that has once waited would keep this one from retaining its lease for ever. */
    @Test
    void aReplyToARenewalFromAfterARecallClearsItIfNoInstanceWaitsAnyMore() {
        AsyncAttempt here = one.acquire("a");
        AsyncAttempt elsewhere = two.acquire("a");
        elsewhere.cancel();
        world.advanceSeconds(20);

        here.close();

        assertThat(isRetained()).isTrue();
        world.advanceSeconds(5);
    }

    @Test
    void aRetainedLeaseIsNotUsedPastItsDeadline() {
        useAndClose();
        world.pauseMillis(60_000);
        AsyncAttempt elsewhere = two.tryOnce("a");
        assertThat(elsewhere.isHeld()).isTrue();

        AsyncAttempt here = one.acquire("a");

        assertThat(here.isPending()).isTrue();
        elsewhere.close();
        assertThat(here.isHeld()).isTrue();
        here.close();
        world.advanceSeconds(5);
    }

    @Test
    void anExtendedLeaseIsNotKept() {
        AsyncAttempt attempt = one.acquire("a");
        attempt.handle().extend(Duration.ofMinutes(10));
        attempt.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void theHoldsOfAnExplicitOwnerAreNotKept() {
        one.acquire(LockRequest.of("a").owner("me")).close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void closingGivesItBackWithoutGrace() {
        useAndClose();
        one.engine.close();
        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
    }

    @Test
    void inspectionShowsARetainedLease() {
        AsyncAttempt attempt = one.acquire("a");
        assertThat(one.engine.inspect("a").orElseThrow().retained()).isFalse();
        attempt.close();

        assertThat(one.engine.inspect("a").orElseThrow().retained()).isTrue();
        assertThat(two.engine.inspect("a").orElseThrow().retained()).isFalse();
        world.advanceSeconds(5);
        assertThat(one.engine.inspect("a")).isEmpty();
    }

    @Test
    void aLockOfAnotherInstanceIsNotRetained() {
        useAndClose();
        world.leases.forgetAll();
        world.advanceMillis(1);
        AsyncAttempt elsewhere = two.acquire("a");

        assertThat(one.engine.inspect("a").orElseThrow().retained()).isFalse();
        elsewhere.close();
        world.advanceSeconds(5);
    }

    @Test
    void withoutRetentionNothingIsKept() {
        Instance plain = world.instance("plain");
        plain.acquire("b").close();
        plain.acquire("b").close();
        assertThat(plain.network.sent(AcquireCommand.class)).hasSize(2);
        assertThat(plain.network.sent(ReleaseCommand.class)).hasSize(2);
    }
}
