/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store in trouble, and callers who wait for many locks. */
class RetryRateLimiterTests {

    private static final int NAMES = 200;

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private List<AsyncAttempt> waiters() {
        return IntStream.range(0, NAMES)
                .mapToObj(i -> one.acquire(LockRequest.of("name-" + i).waitForever()))
                .toList();
    }

    private int sentWithin(Duration time) {
        int before = one.network.sent().size();
        for (long i = 0; i < time.toMillis(); i++) {
            world.advanceMillis(1);
        }
        return one.network.sent().size() - before;
    }

    private void assertGrantedWithin(Duration time, List<AsyncAttempt> waiters) {
        sentWithin(time);
        assertThat(waiters).allMatch(AsyncAttempt::isGranted);
        waiters.forEach(AsyncAttempt::close);
    }

    @Test
    void aFailingStoreGetsTwentyRetriesASecondForAnyNumberOfLocks() {
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        List<AsyncAttempt> waiters = waiters();

        assertThat(sentWithin(Duration.ofSeconds(30))).isBetween(30 * 19, 31 * 20);

        one.network.failNext(0, Effect.NOT_EXECUTED);
        assertGrantedWithin(Duration.ofMillis(1_100), waiters);
    }

    @Test
    void aStoreThatDoesNotReplyGetsABoundedNumberOfRequests() {
        one.network.failNext(Integer.MAX_VALUE, Effect.UNKNOWN);
        List<AsyncAttempt> waiters = waiters();

        assertThat(sentWithin(Duration.ofSeconds(30))).isBetween(30 * 19, 31 * 20);

        one.network.failNext(0, Effect.UNKNOWN);
        assertGrantedWithin(Duration.ofMillis(1_100), waiters);
        world.advanceSeconds(61);
    }

    /** Then the store is asked for each of them after its own pause, as if it were the only one. */
    @Test
    void aStoreThatRepliesIntermittentlyGetsOneRequestPerNameAndSecondAtMost() {
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        List<AsyncAttempt> waiters = waiters();
        int sent = 0;
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 5; i++) {
                sent += sentWithin(Duration.ofMillis(200));
                one.network.failNext(0, Effect.NOT_EXECUTED);
                one.tryOnce("other-" + second + "-" + i).close();
                one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
            }
        }

        assertThat(sent).isLessThan(10 * 4 * NAMES / 3 + 10 * 20);

        one.network.failNext(0, Effect.NOT_EXECUTED);
        assertGrantedWithin(Duration.ofMillis(1_100), waiters);
    }

    /** Callers that gave up, and those that were refused for good, take nothing away from those who go on waiting. */
    @Test
    void waitersAreServedSoonAfterAnOutageHoweverManyHaveGivenUp() {
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        AsyncAttempt patient = one.acquire("patient");
        for (int i = 0; i < 3_000; i++) {
            one.acquire(LockRequest.of("passing-" + i).waitUpTo(Duration.ofMillis(10)));
            world.advanceMillis(10);
        }
        world.advanceMillis(20);

        one.network.failNext(0, Effect.NOT_EXECUTED);
        sentWithin(Duration.ofMillis(1_100));

        assertThat(patient.isHeld()).isTrue();
        patient.close();
    }

    @Test
    void releasesAreConfirmedSoonAfterAnOutage() {
        List<AsyncAttempt> held = IntStream.range(0, NAMES)
                .mapToObj(i -> one.acquire("name-" + i))
                .toList();
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        held.forEach(AsyncAttempt::abandon);

        assertThat(sentWithin(Duration.ofSeconds(5))).isBetween(5 * 19, 6 * 20);

        one.network.failNext(0, Effect.NOT_EXECUTED);
        sentWithin(Duration.ofMillis(1_100));
        assertThat(IntStream.range(0, NAMES).mapToObj(i -> world.leases.inspect("name-" + i)))
                .allMatch(Optional::isEmpty);
    }

    /** Two servers that redirect to each other let the lock seem to be at another one with each request. */
    @Test
    void thePausesGrowAlthoughALockMovesWithEachRequest() {
        one.network.move(true);
        one.network.failNext(Integer.MAX_VALUE, Effect.NOT_EXECUTED);
        AsyncAttempt attempt = one.acquire("a");

        assertThat(sentWithin(Duration.ofSeconds(10))).isBetween(10, 17);

        one.network.move(false);
        one.network.failNext(0, Effect.NOT_EXECUTED);
        sentWithin(Duration.ofMillis(1_100));
        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void aSingleLockIsTriedAgainAsSoonAsItsOwnPauseIsOver() {
        one.network.failNext(1, Effect.NOT_EXECUTED);
        AsyncAttempt attempt = one.acquire("a");

        sentWithin(Duration.ofMillis(100));

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    /** A reconnect notifies all of them at the same moment. */
    @Test
    void thousandsOfWaitersDoNotSendTheirRequestsAtOnceWhenAConnectionIsRestored() {
        int many = 5_000;
        Instance holder = world.instance("holder");
        List<AsyncAttempt> held = IntStream.range(0, many)
                .mapToObj(i -> holder.acquire("name-" + i))
                .toList();
        List<AsyncAttempt> waiting =
                IntStream.range(0, many).mapToObj(i -> one.acquire("name-" + i)).toList();
        one.network.disconnect();
        world.advanceSeconds(2);
        one.network.forgetSent();

        one.reconnect();

        assertThat(one.network.sent()).hasSizeLessThan(100);
        assertThat(sentWithin(Duration.ofMillis(100))).isLessThan(many / 2);
        held.forEach(AsyncAttempt::close);
        assertGrantedWithin(Duration.ofMillis(1_500), waiting);
    }
}
