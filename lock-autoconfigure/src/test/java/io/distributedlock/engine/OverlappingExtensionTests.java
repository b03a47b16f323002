/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Extensions that begin before the reply to another command about the same lease, or after one without a reply. */
class OverlappingExtensionTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private void begin(AsyncAttempt attempt, long millis) {
        SimHolds.extend(one.engine, (DefaultLockHandle) attempt.handle(), millis);
    }

    private long remainingInStore() {
        return world.leases.inspect("a").orElseThrow().remainingLease().toMillis();
    }

    private static long remaining(AsyncAttempt attempt) {
        return attempt.handle().remainingLease().toMillis();
    }

    /** The handle must not promise more than the store has. */
    private void assertRemaining(AsyncAttempt attempt, long atLeastMillis) {
        assertThat(remaining(attempt)).isGreaterThanOrEqualTo(atLeastMillis).isLessThanOrEqualTo(remainingInStore());
    }

    private AsyncAttempt loseReplyTo(long millis) {
        AsyncAttempt attempt = one.acquire("a");
        one.network.loseAnswers(1);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> attempt.handle().extend(Duration.ofMillis(millis)));
        return attempt;
    }

    @Test
    void aLongExtensionThatOvertakesAShortOneCounts() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        begin(attempt, 600);
        world.advanceMillis(15);
        begin(attempt, 20_000);
        world.advanceMillis(35);
        one.network.take().run();
        one.network.take().run();
        one.network.flow();

        assertRemaining(attempt, 19_000);
        attempt.close();
    }

    @Test
    void itCountsForReadersToo() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").mode(LockMode.SHARED));
        one.network.holdCommands();
        begin(attempt, 600);
        assertThat(remaining(attempt)).isLessThanOrEqualTo(600);
        begin(attempt, 20_000);
        SimulatedCall<?> shorter = one.network.take();
        one.network.take().run();
        one.network.flow();

        assertRemaining(attempt, 19_000);
        shorter.run();
        assertRemaining(attempt, 19_000);
        attempt.close();
    }

    @Test
    void aLongExtensionCountsAfterAShortOneWithoutAReply() {
        AsyncAttempt attempt = loseReplyTo(900);

        attempt.handle().extend(Duration.ofSeconds(20));

        assertRemaining(attempt, 19_000);
        one.network.forgetSent();
        world.advanceSeconds(5);
        assertThat(one.network.sent(Renew.class)).isEmpty();
        attempt.close();
    }

    @Test
    void theNextRenewalCountsAfterAShortExtensionWithoutAReply() {
        AsyncAttempt attempt = loseReplyTo(900);

        world.advanceMillis(500);

        assertRemaining(attempt, 29_000);
        attempt.close();
    }

    @Test
    void aLateCopyOfAShortExtensionNoLongerShortensTheLeaseOnceALaterOneWasConfirmed() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        begin(attempt, 600);
        begin(attempt, 400);
        SimulatedCall<?> first = one.network.take();
        SimulatedCall<?> second = one.network.take();
        one.network.flow();
        attempt.handle().extend(Duration.ofSeconds(20));

        first.execute();
        second.run();
        first.answer();

        assertRemaining(attempt, 19_000);
        attempt.close();
    }

    /** The store may have executed it after the one that is confirmed late. */
    @Test
    void aLateReplyDoesNotCountIfTheLeaseWasShortenedSince() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        begin(attempt, 40_000);
        begin(attempt, 600);
        SimulatedCall<?> longer = one.network.take().execute();
        one.network.take().run();
        longer.answer();
        one.network.flow();

        assertRemaining(attempt, 550);
        assertThat(remainingInStore()).isEqualTo(600);
        attempt.close();
    }

    @Test
    void aLateReplyDoesNotCountWhileAShorteningMayStillArrive() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        begin(attempt, 40_000);
        begin(attempt, 600);
        one.network.take().run();
        assertThat(remaining(attempt)).isLessThanOrEqualTo(600);

        one.network.take().execute();

        assertRemaining(attempt, 550);
        one.network.flow();
        attempt.close();
    }

    @Test
    void theFailureOfAnEarlierExtensionDoesNotUndoALaterOne() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        one.network.holdCommands();
        begin(attempt, 2_000);
        begin(attempt, 50_000);
        SimulatedCall<?> earlier = one.network.take();
        one.network.take().run();
        earlier.fail(Effect.UNKNOWN);
        one.network.flow();

        world.advanceMillis(49_000);

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void theFailureOfALaterExtensionLeavesTheEarlierOne() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));
        one.network.holdCommands();
        begin(attempt, 40_000);
        begin(attempt, 50_000);
        one.network.take().run();
        one.network.take().fail(Effect.UNKNOWN);
        one.network.flow();

        world.advanceMillis(39_000);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceMillis(1_000);

        assertThat(attempt.isHeld()).isFalse();
    }

    @Test
    void extensionsThatOverlapAllTheTimeKeepTheHold() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").lease(Duration.ofMillis(1_500)));
        one.network.holdCommands();
        begin(attempt, 1_500);

        for (int i = 0; i < 1_000; i++) {
            world.advanceMillis(20);
            begin(attempt, 1_500);
            one.network.take().run();
            assertRemaining(attempt, 1_400);
        }

        one.network.flow();
        attempt.close();
    }

    @Test
    void extensionsOfDifferentLengthsThatOverlapAllTheTimeKeepTheHold() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").lease(Duration.ofMillis(1_500)));
        one.network.holdCommands();
        begin(attempt, 500);

        for (int i = 0; i < 1_000; i++) {
            world.advanceMillis(20);
            begin(attempt, 500 + 100 * (i * 7 % 12));
            one.network.take().run();
            assertRemaining(attempt, 300);
        }

        one.network.flow();
        attempt.close();
    }

    @Test
    void aReplyThatTheLeaseIsGoneIsALossAlthoughAnotherExtensionIsUnderWay() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        begin(attempt, 20_000);
        begin(attempt, 30_000);
        world.leases.forgetAll();
        one.network.take().run();

        assertThat(attempt.isHeld()).isFalse();
        one.network.take().run();
        one.network.flow();
    }

    /** Its commands have a higher token in the store, but no hold has it. */
    @Test
    void theHoldKeepsItsTokenAndTheNextOnesAreHigher() {
        AsyncAttempt attempt = loseReplyTo(900);
        AsyncAttempt next = one.acquire("a");
        attempt.handle().extend(Duration.ofSeconds(20));

        assertThat(world.leases.inspect("a").orElseThrow().fencingToken()).isGreaterThan(attempt.token());
        assertThat(one.engine.inspect("a").orElseThrow().fencingToken()).isEqualTo(attempt.token());
        long inStore = world.leases.inspect("a").orElseThrow().fencingToken();
        world.pauseMoment();
        attempt.close();
        assertThat(next.token()).isGreaterThan(inStore);
        next.close();
    }

    /** A minimum may begin before the reply to a short extension arrives. */
    @Test
    void aLateCopyOfAShortExtensionDoesNotEndTheMinimum() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").minHold(Duration.ofSeconds(10)));
        one.network.holdCommands();
        begin(attempt, 600);
        SimulatedCall<?> late = one.network.take();
        one.network.flow();
        attempt.close();
        assertThat(remainingInStore()).isEqualTo(10_000);

        late.execute();

        assertThat(remainingInStore()).isEqualTo(10_000);
        world.advanceSeconds(10);
    }
}
