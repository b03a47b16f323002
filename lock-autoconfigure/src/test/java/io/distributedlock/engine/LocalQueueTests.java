/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Callers of one instance among themselves. */
class LocalQueueTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    @Test
    void aFreeLockCostsOneCommandAndItsReleaseAnother() {
        one.acquire("a").close();

        assertThat(one.network.sent()).hasSize(2);
    }

    @Test
    void callersGetTheLockInTheOrderOfTheirArrival() {
        List<AsyncAttempt> attempts =
                IntStream.range(0, 20).mapToObj(i -> one.acquire("a")).toList();

        for (int i = 0; i < attempts.size(); i++) {
            assertThat(attempts.get(i).isGranted()).isTrue();
            assertThat(attempts.stream().skip(i + 1)).allMatch(AsyncAttempt::isPending);
            attempts.get(i).close();
        }
    }

    @Test
    void passingOnInsideTheInstanceCostsNoCommandAndRaisesTheTokenByOne() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        one.network.forgetSent();
        world.pauseMoment();

        first.close();

        assertThat(one.network.sent()).isEmpty();
        assertThat(second.token()).isEqualTo(first.token() + 1);
        second.close();
    }

    @Test
    void theReleaseBringsTheTokenOfTheLatestPass() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        world.pauseMoment();
        first.close();
        second.close();

        assertThat(one.network.sent(LeaseStore.ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.floor()).isEqualTo(second.token()));
    }

    @Test
    void differentNamesDoNotWaitForEachOther() {
        AsyncAttempt a = one.acquire("a");
        AsyncAttempt b = one.acquire("b");

        assertThat(b.isGranted()).isTrue();
        a.close();
        b.close();
    }

    @Test
    void theNextTokenIsHigherAfterARelease() {
        AsyncAttempt first = one.acquire("a");
        first.close();
        AsyncAttempt second = one.acquire("a");

        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
    }

    @Test
    void tokensGrowAlthoughTheStoreForgotAllAndItsClockWasSetBack() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        AsyncAttempt third = one.acquire("a");
        first.close();
        second.close();
        world.leases.forgetAll();
        world.leases.setTimeBack(Duration.ofDays(1));
        world.advanceSeconds(31);
        assertThat(third.isHeld()).isFalse();
        AsyncAttempt fourth = one.acquire("a");

        assertThat(fourth.token()).isGreaterThan(third.token());
        fourth.close();
    }

    @Test
    void aSingleTryIsBusyAtOnceIfTheLockIsHeldInThisInstance() {
        AsyncAttempt holder = one.acquire("a");
        one.network.forgetSent();

        AsyncAttempt refused = one.tryOnce("a");

        assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(one.network.sent()).isEmpty();
        holder.close();
    }

    @Test
    void oneRequestServesAllCallers() {
        Instance two = world.instance("two");
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> waiting =
                IntStream.range(0, 10).mapToObj(i -> one.acquire("a")).toList();

        assertThat(one.network.sent()).hasSize(1);
        elsewhere.close();
        waiting.forEach(AsyncAttempt::close);
    }

    @Test
    void singleTriesEndWithTheFirstReply() {
        Instance two = world.instance("two");
        one.network.holdCommands();
        AsyncAttempt winner = one.tryOnce("a");
        AsyncAttempt late = one.tryOnce("a");
        assertThat(winner.isPending()).isTrue();

        one.network.take().run();

        assertThat(winner.isGranted()).isTrue();
        assertThat(late.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(two.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        one.network.flow();
        winner.close();
    }

    @Test
    void aCallerThatTriesOnceDoesNotQueueInTheStore() {
        Instance two = world.instance("two");
        AsyncAttempt elsewhere = two.acquire("a");

        AsyncAttempt refused = one.tryOnce("a");

        assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(one.network.sent()).hasSize(1);
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    @Test
    void aWaiterBesideASingleTryStillQueues() {
        Instance two = world.instance("two");
        AsyncAttempt elsewhere = two.acquire("a");
        one.network.holdCommands();
        AsyncAttempt once = one.tryOnce("a");
        AsyncAttempt waiting = one.acquire("a");
        one.network.flow();
        one.network.take().run();

        assertThat(once.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();
        assertThat(waiting.isGranted()).isTrue();
        waiting.close();
    }

    @Test
    void aWaiterThatLeavesIsSkipped() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire("a");
        AsyncAttempt third = one.acquire("a");

        second.cancel();
        first.close();

        assertThat(third.isGranted()).isTrue();
        third.close();
    }

    @Test
    void aGrantThatMeetsACancelledCallerGoesToTheNext() {
        AsyncAttempt first = one.acquire("a");
        AsyncAttempt second = one.acquire(LockRequest.of("a").lease(Duration.ofSeconds(1)));
        second.cancel();
        first.close();

        AsyncAttempt third = one.tryOnce("a");

        assertThat(third.isGranted()).isTrue();
        third.close();
    }

    @Test
    void aBusyReplyToAnEarlierRequestDoesNotEndALaterSingleTry() {
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        AsyncAttempt early = one.tryOnce("a");
        SimulatedCall<?> command = one.network.take().execute();
        elsewhere.close();
        AsyncAttempt once = one.tryOnce("a");
        one.network.flow();

        command.answer();

        assertThat(early.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(once.isHeld()).isTrue();
        once.close();
    }
}
