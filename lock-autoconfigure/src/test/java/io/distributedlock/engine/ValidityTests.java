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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Until when a hold may be believed. */
class ValidityTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private AsyncAttempt askWithLease(long millis) {
        return one.acquire(LockRequest.of("a").lease(Duration.ofMillis(millis)).waitForever());
    }

    @Test
    void theLeaseCountsFromBeforeTheRequestAndWithoutAMargin() {
        one.network.holdCommands();
        AsyncAttempt attempt = askWithLease(30_000);
        world.advanceMillis(100);
        one.network.take().run();

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(30_000 - 300 - 100));
        one.network.flow();
        attempt.close();
    }

    @Test
    void aShortLeaseHasAMarginOfFiveMilliseconds() {
        AsyncAttempt attempt = askWithLease(50);

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(45));
        attempt.close();
    }

    @Test
    void aReplyJustBeforeTheDeadlineIsAHold() {
        one.network.holdCommands();
        AsyncAttempt attempt = askWithLease(50);
        world.pauseMillis(44);
        one.network.flow();
        one.network.take().run();

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void aReplyAfterItsOwnDeadlineIsNoHoldAndIsReleased() {
        one.network.holdCommands();
        AsyncAttempt attempt = askWithLease(50);
        SimulatedCall<?> command = one.network.take().execute();
        world.pauseMillis(45);
        one.network.flow();
        command.answer();

        assertThat(attempt.isPending()).isTrue();
        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        world.advanceMillis(100);
        List<AcquireCommand> commands = one.network.sent(AcquireCommand.class);
        assertThat(commands.get(1).number()).isNotEqualTo(commands.get(0).number());
        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }

    @Test
    void theDeadlineOfALeaseThatIsNotRenewedIsAHardEnd() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").renew(false));

        world.pauseMillis(29_699);
        assertThat(attempt.isHeld()).isTrue();
        world.pauseMillis(1);

        assertThat(attempt.isHeld()).isFalse();
        assertThat(attempt.handle().remainingLease()).isZero();
        world.runTimers();
    }

    @Test
    void noOtherCallerGetsTheLockBeforeTheHolderKnowsThatItIsLost() {
        AsyncAttempt first = askWithLease(1_000);
        Instance two = world.instance("two");
        AsyncAttempt second = two.acquire("a");
        one.network.disconnect();
        for (int i = 0; i < 3_000 && second.isPending(); i++) {
            world.advanceMillis(1);
            assertThat(first.isHeld() && second.isGranted()).isFalse();
        }

        assertThat(second.isHeld()).isTrue();
        second.close();
        one.reconnect();
    }

    @Test
    void aHoldThatMayNotLastAsLongAsItsLeaseRequestsAShorterLease() {
        AsyncAttempt attempt = one.acquire(LockRequest.of("a").maxHold(Duration.ofSeconds(2)));

        assertThat(one.network.sent(AcquireCommand.class))
                .singleElement()
                .satisfies(command -> assertThat(command.leaseMillis()).isEqualTo(2_000));
        attempt.close();
    }

    @Test
    void theReplyToAnEarlierRequestDoesNotCountForTheLatest() {
        one.network.holdCommands();
        AsyncAttempt attempt = askWithLease(900);
        SimulatedCall<?> first = one.network.take();
        world.advanceMillis(300);
        SimulatedCall<?> second = one.network.take();

        first.run();
        assertThat(attempt.isPending()).isTrue();
        second.run();

        assertThat(attempt.handle().remainingLease()).isEqualTo(Duration.ofMillis(900 - 9));
        one.network.flow();
        attempt.close();
    }
}
