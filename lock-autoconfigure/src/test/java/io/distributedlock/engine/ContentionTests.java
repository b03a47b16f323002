/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several instances that want the same lock. */
class ContentionTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private static EngineSettings settings(int maxPasses, Duration maxBatch) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                defaults.lease(),
                defaults.waitUpTo(),
                null,
                defaults.commandTimeout(),
                maxPasses,
                maxBatch,
                Duration.ZERO);
    }

    private static List<AsyncAttempt> attempts(Instance instance, int count) {
        return new ArrayList<>(
                IntStream.range(0, count).mapToObj(i -> instance.acquire("a")).toList());
    }

    /** Closes one after the other as they are granted, until the other instance has the lock. */
    private static int grantsBefore(AsyncAttempt elsewhere, List<AsyncAttempt> attempts) {
        int grants = 0;
        while (elsewhere.isPending()) {
            assertThat(attempts.get(0).isGranted()).isTrue();
            attempts.remove(0).close();
            grants++;
        }
        return grants;
    }

    private static void finish(AsyncAttempt elsewhere, List<AsyncAttempt> attempts) {
        elsewhere.close();
        attempts.forEach(AsyncAttempt::close);
    }

    /** Nanoseconds cannot count 400 000 days. */
    @ParameterizedTest
    @ValueSource(longs = {1, 400_000})
    void theLockGoesToTheOtherInstanceAfterTheMaximumNumberOfLocalHandOvers(long days) {
        Instance one = world.instance("one", settings(3, Duration.ofDays(days)));
        List<AsyncAttempt> here = attempts(one, 10);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");

        world.pauseMoment();

        assertThat(grantsBefore(elsewhere, here)).isEqualTo(1 + 3);
        finish(elsewhere, here);
    }

    /** No recall arrives, so a request once a second shows that other instances wait. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInstanceThatNoRecallReachesHandsOverLocallyForASecondAtMost(boolean moved) {
        Instance one = world.instance("one");
        List<AsyncAttempt> here = attempts(one, 200);
        if (moved) {
            one.network.holdMessages();
            one.network.moveUpTo(one.network.sent(AcquireCommand.class).get(0).number());
        } else {
            one.network.goDeaf();
        }
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        for (int i = 0; i < 60; i++) {
            world.advanceMillis(20);
            if (here.get(0).isGranted()) {
                here.remove(0).close();
            }
        }
        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        world.advanceSeconds(2);
        here.forEach(AsyncAttempt::close);
    }

    @Test
    void aRepeatedRecallDoesNotStartTheTurnAnew() {
        Instance one = world.instance("one", settings(3, Duration.ofDays(1)));
        List<AsyncAttempt> here = attempts(one, 10);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        world.pauseMoment();
        int grants = 0;
        while (elsewhere.isPending() && !here.isEmpty()) {
            here.remove(0).close();
            grants++;
            one.engine.locks().recalled("a", 1);
        }

        assertThat(grants).isEqualTo(1 + 3);
        finish(elsewhere, here);
    }

    @Test
    void theLockGoesToTheOtherInstanceAfterTheLongestSeriesOfLocalHandOvers() {
        Instance one = world.instance("one", settings(1_000, Duration.ofMillis(10)));
        List<AsyncAttempt> here = attempts(one, 5);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        world.advanceMillis(1);
        here.remove(0).close();
        world.advanceMillis(8);
        here.remove(0).close();
        assertThat(elsewhere.isPending()).isTrue();

        world.advanceMillis(1);
        here.remove(0).close();

        assertThat(elsewhere.isHeld()).isTrue();
        finish(elsewhere, here);
    }

    @Test
    void withoutLocalHandOversTheInstancesTakeTurns() {
        Instance one = world.instance("one", settings(0, Duration.ofDays(1)));
        Instance two = world.instance("two", settings(0, Duration.ofDays(1)));
        List<AsyncAttempt> here = attempts(one, 5);
        List<AsyncAttempt> there = attempts(two, 5);

        for (int i = 0; i < 5; i++) {
            assertThat(here.get(i).isHeld()).isTrue();
            here.get(i).close();
            assertThat(there.get(i).isHeld()).isTrue();
            there.get(i).close();
        }
    }

    @Test
    void localHandOversAreNotLimitedWhileNoOtherInstanceWaits() {
        Instance one = world.instance("one", settings(3, Duration.ofMillis(1)));
        List<AsyncAttempt> here = attempts(one, 100);

        here.forEach(attempt -> {
            world.advanceMillis(1);
            attempt.close();
        });

        assertThat(one.network.sent(AcquireCommand.class)).hasSize(1);
    }

    @Test
    void passesBeforeTheOtherInstanceCameDoNotCount() {
        Instance one = world.instance("one", settings(3, Duration.ofDays(1)));
        List<AsyncAttempt> here = attempts(one, 20);
        world.pauseMoment();
        IntStream.range(0, 10).forEach(i -> here.remove(0).close());
        AsyncAttempt elsewhere = world.instance("two").acquire("a");

        world.pauseMoment();

        assertThat(grantsBefore(elsewhere, here)).isEqualTo(1 + 3);
        finish(elsewhere, here);
    }

    @Test
    void aTransferTakesOneCommandAndQueuesAgainInTheSameStep() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        List<AsyncAttempt> here = attempts(one, 3);
        Instance two = world.instance("two");
        AsyncAttempt elsewhere = two.acquire("a");
        one.network.forgetSent();
        two.network.forgetSent();

        here.remove(0).close();

        assertThat(elsewhere.isHeld()).isTrue();
        assertThat(one.network.sent()).singleElement().isInstanceOf(ReleaseCommand.class);
        assertThat(two.network.sent()).isEmpty();
        elsewhere.close();
        assertThat(here.get(0).isHeld()).isTrue();
        here.forEach(AsyncAttempt::close);
    }

    @Test
    void aReleaseThatQueuesAgainIsGrantedTheLockIfTheOtherWaiterHasLeft() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        List<AsyncAttempt> here = attempts(one, 2);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        elsewhere.cancel();
        one.network.forgetSent();

        here.remove(0).close();

        assertThat(one.network.sent()).singleElement().isInstanceOf(ReleaseCommand.class);
        assertThat(here.get(0).isHeld()).isTrue();
        here.forEach(AsyncAttempt::close);
    }

    @Test
    void aLostRecallIsMadeUpForByTheNextRenewal() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        one.network.holdMessages();
        List<AsyncAttempt> here = attempts(one, 3);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        world.pauseMoment();
        here.remove(0).close();
        assertThat(elsewhere.isPending()).isTrue();

        world.advanceSeconds(10);
        assertThat(one.network.sent(Renew.class)).hasSize(1);
        here.remove(0).close();

        assertThat(elsewhere.isHeld()).isTrue();
        elsewhere.close();
        one.network.flow();
        world.advanceSeconds(2);
        here.forEach(AsyncAttempt::close);
    }

    @Test
    void aLostRecallIsRepeatedWithTheNextRequest() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        one.network.holdMessages();
        List<AsyncAttempt> here = attempts(one, 2);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.takeMessage();
        one.network.flow();

        world.advanceMillis(1_020);
        here.remove(0).close();

        assertThat(elsewhere.isHeld()).isTrue();
        finish(elsewhere, here);
    }

    @Test
    void theFirstReplyReportsThatAnotherInstanceWaits() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        Instance two = world.instance("two");
        AsyncAttempt holder = two.acquire("a");
        List<AsyncAttempt> here = attempts(one, 2);
        AsyncAttempt third = world.instance("three").acquire("a");

        holder.close();
        assertThat(here.get(0).isHeld()).isTrue();
        here.remove(0).close();

        assertThat(third.isHeld()).isTrue();
        finish(third, here);
    }

    @Test
    void instancesGetTheLockInTheOrderInWhichTheyBeganToWait() {
        List<Instance> instances =
                IntStream.range(0, 6).mapToObj(i -> world.instance("i" + i)).toList();
        List<AsyncAttempt> attempts =
                instances.stream().map(instance -> instance.acquire("a")).toList();

        for (int i = 0; i < attempts.size(); i++) {
            assertThat(attempts.get(i).isHeld()).isTrue();
            assertThat(attempts.stream().skip(i + 1)).allMatch(AsyncAttempt::isPending);
            attempts.get(i).close();
        }
    }

    @Test
    void anInstanceThatIsDeadIsPassedOver() {
        Instance dead = world.instance("dead");
        AsyncAttempt holder = world.instance("one").acquire("a");
        AsyncAttempt never = dead.acquire("a");
        AsyncAttempt next = world.instance("two").acquire("a");
        dead.network.disconnect();

        holder.close();

        assertThat(next.isHeld()).isTrue();
        next.close();
        dead.reconnect();
        never.close();
    }

    @Test
    void aRecallOfAnEarlierHoldIsIgnored() {
        Instance one = world.instance("one", settings(0, Duration.ZERO));
        List<AsyncAttempt> here = attempts(one, 3);
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        here.remove(0).close();
        elsewhere.close();
        long earlier = one.network.sent(AcquireCommand.class).get(0).number();
        one.network.forgetSent();

        one.engine.locks().recalled("a", earlier);
        world.pauseMoment();
        here.remove(0).close();

        assertThat(one.network.sent()).isEmpty();
        here.forEach(AsyncAttempt::close);
    }
}
