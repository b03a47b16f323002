/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Releases whose reply no caller waits for. */
class AsyncReleaseTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one =
            world.instance("one", EngineSettings.DEFAULTS.withRelease(EngineSettings.Release.ASYNC));

    @Test
    void closingDoesNotWaitForTheReply() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();

        attempt.close();

        assertThat(attempt.isHeld()).isFalse();
        one.network.flow();
        one.network.take().run();
        assertThat(one.events).isEmpty();
    }

    @Test
    void aLossFoundByItIsAnEvent() {
        AsyncAttempt attempt = one.acquire("a");
        world.leases.forgetAll();

        attempt.close();

        assertThat(one.events).singleElement().isInstanceOfSatisfying(LockLostEvent.class, event -> {
            assertThat(event.lockName()).isEqualTo("a");
            assertThat(event.fencingToken()).isEqualTo(attempt.token());
            assertThat(event.reason()).contains("no longer existed");
        });
    }

    @Test
    void aReleaseWithoutAReplyIsRetriedWithinTheLease() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.failNext(1, Effect.UNKNOWN);

        attempt.close();
        assertThat(world.leases.leftovers()).hasSize(1);
        world.advanceMillis(100);

        assertThat(world.leases.leftovers()).isEmpty();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(2);
        assertThat(one.events).as("it was its own doing or is unknown").isEmpty();
    }

    @Test
    void aTryThatOvertakesItDoesNotFindTheLockBusy() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.holdCommands();
        attempt.close();
        SimulatedCall<?> release = one.network.take();
        AsyncAttempt next = one.tryOnce("a");
        one.network.take().run();
        assertThat(next.isPending()).isTrue();

        one.network.flow();
        release.run();

        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aTryThatOvertakesItIsBusyIfAnotherInstanceHasTheLock() {
        AsyncAttempt attempt = one.acquire("a");
        AsyncAttempt elsewhere = world.instance("two").acquire("a");
        one.network.holdCommands();
        attempt.close();
        SimulatedCall<?> release = one.network.take();
        AsyncAttempt next = one.tryOnce("a");
        one.network.take().run();

        one.network.flow();
        release.run();

        assertThat(next.failure()).isInstanceOf(LockNotAcquiredException.class);
        elsewhere.close();
    }

    @Test
    void aReleaseWithoutAReplyIsGivenUpWhenTheLeaseEnds() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();

        attempt.close();
        world.advanceSeconds(32);

        assertThat(one.engine.timers().size()).isZero();
    }

    @Test
    void aHoldThatWasLostBeforeIsStillReportedToItsHolder() {
        AsyncAttempt attempt = one.acquire("a");
        world.pauseMillis(30_000);

        assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::close);

        assertThat(one.events).hasSize(1);
    }
}
