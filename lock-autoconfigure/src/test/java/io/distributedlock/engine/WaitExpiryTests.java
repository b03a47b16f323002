/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The result of a caller whose wait is over: busy only if the store's latest word was that. */
class WaitExpiryTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private AsyncAttempt waitFor(Duration wait) {
        return one.acquire(LockRequest.of("a").waitUpTo(wait));
    }

    @Test
    void theLockIsBusyWhenAnotherInstanceHoldsIt() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofSeconds(1));

        world.advanceMillis(999);
        assertThat(waiting.isPending()).isTrue();
        world.advanceMillis(1);

        assertThat(waiting.failure())
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        busy -> assertThat(busy.waited()).isEqualTo(Duration.ofSeconds(1)));
        elsewhere.close();
    }

    @Test
    void theLockIsBusyWhenAnotherCallerOfTheInstanceHoldsIt() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofMillis(5));

        world.advanceMillis(5);

        assertThat(waiting.failure()).isInstanceOf(LockNotAcquiredException.class);
        holder.close();
    }

    @Test
    void theLockIsUnavailableWhenTheStoreWasNeverReachable() {
        one.network.disconnect();
        AsyncAttempt waiting = waitFor(Duration.ofSeconds(1));

        world.advanceMillis(999);
        assertThat(waiting.isPending()).isTrue();
        world.advanceMillis(1);

        assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void theLockIsUnavailableWhenTheLatestRequestFailed() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofSeconds(5));
        one.network.disconnect();

        world.advanceSeconds(5);

        assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
        elsewhere.close();
        one.reconnect();
    }

    /** No other caller has the lock: it was granted, and the grant was too old when it came. */
    @Test
    void theLockIsUnavailableWhenTheLatestReplyWasALateGrant() {
        AsyncAttempt elsewhere = two.acquire("a");
        Duration lease = Duration.ofMillis(400);
        AsyncAttempt waiting = one.acquire(LockRequest.of("a").lease(lease).waitUpTo(Duration.ofMillis(640)));
        one.network.holdMessages();
        elsewhere.close();
        one.network.holdCommands();
        world.advanceMillis(200);
        SimulatedCall<?> late = one.network.take().execute();
        world.pauseMillis(400);
        late.answer();

        world.advanceMillis(40);

        assertThat(waiting.failure())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("400 ms");
        one.network.flow();
        one.network.held().forEach(SimulatedCall::run);
        world.advanceMillis(500);
    }

    @Test
    void theLockIsBusyWhenTheLatestReplyWasBusyAndARequestIsUnderWay() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofMillis(1_100));
        one.network.holdCommands();

        world.advanceMillis(1_100);

        assertThat(one.network.held()).hasSize(1);
        assertThat(waiting.failure()).isInstanceOf(LockNotAcquiredException.class);
        one.network.flow();
        one.network.take().run();
        elsewhere.close();
    }

    @Test
    void aLockThatBecameFreeWithoutAMessageIsTakenAtTheEndOfTheWait() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofMillis(800));
        world.advanceMillis(500);
        world.leases.forgetAll();

        world.advanceMillis(300);

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
        elsewhere.abandon();
    }

    @Test
    void oneLastRequestServesAllCallersWhoseWaitsEndTogether() {
        AsyncAttempt elsewhere = two.acquire("a");
        List<AsyncAttempt> crowd = IntStream.range(0, 100)
                .mapToObj(i -> waitFor(Duration.ofMillis(800 + i)))
                .toList();
        one.network.forgetSent();

        world.advanceMillis(900);

        assertThat(crowd)
                .allSatisfy(refused -> assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class));
        assertThat(one.network.sent(AcquireCommand.class)).hasSize(1);
        elsewhere.close();
    }

    @Test
    void aLastRequestWithoutAReplyDelaysTheCallerByATenthOfASecondAtMost() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofMillis(800));
        one.network.holdCommands();
        world.advanceMillis(899);
        assertThat(waiting.isPending()).isTrue();

        world.advanceMillis(1);

        assertThat(waiting.failure()).isInstanceOf(LockNotAcquiredException.class);
        one.network.flow();
        one.network.take().run();
        elsewhere.close();
    }

    @Test
    void aCallerWithoutAReplyWaitsForTheFirstOneUpToOneCommandTimeout() {
        one.network.holdCommands();
        AsyncAttempt waiting = waitFor(Duration.ofMillis(50));

        world.advanceMillis(1_999);
        assertThat(waiting.isPending()).isTrue();
        world.advanceMillis(1);

        assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
        one.network.flow();
        world.advanceSeconds(3);
    }

    @Test
    void aFirstReplyAfterTheWaitStillGrantsTheLock() {
        one.network.holdCommands();
        AsyncAttempt waiting = waitFor(Duration.ofMillis(50));
        world.advanceMillis(500);
        one.network.flow();

        one.network.take().run();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aFirstReplyThatTheLockIsBusyEndsAnExpiredWait() {
        AsyncAttempt elsewhere = two.acquire("a");
        one.network.holdCommands();
        AsyncAttempt over = waitFor(Duration.ofMillis(50));
        AsyncAttempt patient = waitFor(Duration.ofSeconds(1));
        world.advanceMillis(500);
        one.network.flow();

        one.network.take().run();

        assertThat(over.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(patient.isPending()).isTrue();
        elsewhere.close();
        patient.close();
    }

    @Test
    void aSingleTryWaitsOneCommandTimeoutForAConnection() {
        one.network.disconnect();
        AsyncAttempt once = one.tryOnce("a");

        world.advanceMillis(1_999);
        assertThat(once.isPending()).isTrue();
        world.advanceMillis(1);

        assertThat(once.failure()).isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aSingleTryGetsTheLockIfTheConnectionOpensInTime() {
        one.network.disconnect();
        AsyncAttempt once = one.tryOnce("a");
        world.advanceMillis(1_500);

        one.reconnect();

        assertThat(once.isHeld()).isTrue();
        once.close();
    }

    @Test
    void aRefusalByTheStoreEndsAnyWaitAtOnce() {
        one.network.failNext(1, Effect.REFUSED);

        AsyncAttempt waiting = one.acquire("a");

        assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void aWaitWithoutLimitOutlastsAnOutage() {
        one.network.disconnect();
        AsyncAttempt waiting = one.acquire("a");
        world.advance(Duration.ofHours(1));

        one.reconnect();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aVeryLongWaitCountsAsUnlimited() {
        AsyncAttempt holder = one.acquire("a");
        AsyncAttempt waiting = waitFor(Duration.ofSeconds(Long.MAX_VALUE));

        holder.close();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void troubleEndsTheFirstWaitsOnTimeAndTheLockIsThereForLaterOnes() {
        one.network.failNext(1, Effect.UNKNOWN);
        AsyncAttempt impatient = waitFor(Duration.ofMillis(10));
        AsyncAttempt patient = one.acquire("a");

        world.advanceMillis(10);
        assertThat(impatient.failure()).isInstanceOf(LockUnavailableException.class);
        world.advanceMillis(200);

        assertThat(patient.isHeld()).isTrue();
        patient.close();
    }
}
