/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.InMemoryLeaseStore.Renew;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The values of a monotonic clock overflow; only their differences mean something. */
class ClockOverflowTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport(ManualClock.overflowingAfterMillis(5_000));

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    @Test
    void aHoldIsRenewedAsOftenAsEver() {
        AsyncAttempt attempt = one.acquire("a");

        world.advanceSeconds(60);

        assertThat(world.clock.nanos()).isNegative();
        assertThat(attempt.isHeld()).isTrue();
        assertThat(one.network.sent(Renew.class)).hasSize(6);
        attempt.close();
    }

    @Test
    void aDeadlineBeyondTheOverflowIsKept() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));

        world.advanceMillis(29_699);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceMillis(1);

        assertThat(attempt.isHeld()).isFalse();
    }

    @Test
    void aMaxHoldBeyondTheOverflowIsKept() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(20)));

        world.advanceSeconds(19);
        assertThat(attempt.isHeld()).isTrue();
        world.advanceSeconds(1);

        assertThat(attempt.isHeld()).isFalse();
    }

    @Test
    void waitsEndOnTimeAcrossTheOverflow() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt brief = one.acquire(LockRequest.of("a").waitUpTo(Duration.ofSeconds(4)));
        AsyncAttempt longer = one.acquire(LockRequest.of("a").waitUpTo(Duration.ofSeconds(8)));
        AsyncAttempt unlimited = one.acquire("a");

        world.advanceMillis(4_000);
        assertThat(brief.failure()).isInstanceOf(LockNotAcquiredException.class);
        world.advanceMillis(3_999);
        assertThat(longer.isPending()).isTrue();
        world.advanceMillis(1);
        assertThat(longer.failure()).isInstanceOf(LockNotAcquiredException.class);

        elsewhere.close();
        assertThat(unlimited.isHeld()).isTrue();
        unlimited.close();
    }

    @Test
    void patienceBeyondTheOverflowDoesNotKeepTheTimerBusy() {
        world.advanceMillis(4_000);
        one.network.holdCommands();
        AsyncAttempt waiting = one.acquire(LockRequest.of("a").waitUpTo(Duration.ofMillis(10)));

        world.advanceMillis(1_999);
        assertThat(waiting.isPending()).isTrue();
        world.advanceMillis(1);

        assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
        one.network.flow();
        world.advanceSeconds(3);
    }

    @Test
    void aHandOverAcrossTheOverflowWorks() {
        world.advanceMillis(4_500);
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = one.acquire("a");
        world.advanceSeconds(1);

        elsewhere.close();

        assertThat(waiting.handle().remainingLease()).isBetween(Duration.ofSeconds(28), Duration.ofSeconds(30));
        waiting.close();
    }

    @Test
    void aReleaseThatFailsIsRetriedAndGivenUpInTime() {
        AsyncAttempt attempt = one.acquire("a");
        one.network.disconnect();
        attempt.abandon();

        world.advanceSeconds(31);

        assertThat(one.engine.timers().size()).isZero();
    }
}
