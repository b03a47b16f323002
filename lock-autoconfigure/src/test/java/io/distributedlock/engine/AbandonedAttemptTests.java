/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStoreException.Effect;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No caller wants the lock any more, but the store may have received a request. */
class AbandonedAttemptTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private long tombstone() {
        var releases = one.network.sent(ReleaseCommand.class);
        return releases.get(releases.size() - 1).tombstoneMillis();
    }

    @Test
    void aWaiterThatLeavesDoesNotStayInTheQueue() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt waiting = one.acquire("a");

        waiting.cancel();

        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        assertThat(tombstone()).isZero();
        elsewhere.close();
    }

    @Test
    void aWaitThatEndsLeavesTheQueueToo() {
        AsyncAttempt elsewhere = two.acquire("a");
        one.acquire(LockRequest.of("a").waitUpTo(Duration.ofSeconds(1)));

        world.advanceSeconds(1);

        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    @Test
    void theRequestContinuesForTheRemainingCallers() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt leaving = one.acquire("a");
        AsyncAttempt staying = one.acquire("a");
        leaving.cancel();

        assertThat(one.network.sent(ReleaseCommand.class)).isEmpty();
        elsewhere.close();
        assertThat(staying.isHeld()).isTrue();
        staying.close();
    }

    @Test
    void aGrantThatArrivesAfterTheCallerHasLeftIsReleased() {
        one.network.holdCommands();
        AsyncAttempt leaving = one.acquire("a");
        leaving.cancel();
        one.network.flow();
        assertThat(one.network.sent(ReleaseCommand.class)).isEmpty();

        one.network.take().run();

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(tombstone()).isZero();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void anIdWhoseRequestGotNoReplyIsNeverGrantedLater() {
        one.network.holdCommands();
        AsyncAttempt leaving = one.acquire("a");
        SimulatedCall<?> command = one.network.take();
        leaving.cancel();
        one.network.flow();
        world.advanceSeconds(2);
        assertThat(tombstone()).isEqualTo(60_000);

        command.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
    }

    @Test
    void aTombstoneOutlivesShorterOnesOfTheSameName() {
        one.network.holdCommands();
        AsyncAttempt leaving = one.acquire("a");
        SimulatedCall<?> command = one.network.take();
        leaving.cancel();
        one.network.flow();
        world.advanceSeconds(2);
        two.network.failNext(1, Effect.UNKNOWN);
        AsyncAttempt brief = two.acquire(LockRequest.of("a").lease(Duration.ofMillis(100)));
        brief.cancel();
        world.advanceSeconds(3);

        command.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
    }

    @Test
    void anAcquisitionOfUnknownOutcomeIsRetriedUnderTheSameId() {
        one.network.loseAnswers(1);
        AsyncAttempt attempt = one.acquire("a");
        assertThat(attempt.isPending()).isTrue();

        world.advanceMillis(100);

        assertThat(attempt.isHeld()).isTrue();
        assertThat(one.network.sent(AcquireCommand.class))
                .hasSize(2)
                .allSatisfy(command -> assertThat(command.number())
                        .isEqualTo(one.network.sent(AcquireCommand.class).get(0).number()));
        attempt.close();
    }

    @Test
    void theReleaseOfAnAcquisitionWithARequestOfUnknownOutcomeCancelsItsId() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire("a");
        SimulatedCall<?> late = one.network.take();
        late.fail(Effect.UNKNOWN);
        one.network.flow();
        world.advanceMillis(100);
        attempt.close();
        assertThat(tombstone()).isEqualTo(60_000);

        late.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
    }

    @Test
    void aRequestThatWasNotExecutedLeavesNothingToCancel() {
        one.network.failNext(1, Effect.NOT_EXECUTED);
        AsyncAttempt attempt = one.acquire("a");
        world.advanceMillis(100);
        attempt.close();

        assertThat(tombstone()).isZero();
    }

    @Test
    void aLateCopyOfAnAcquireRequestDoesNotShortenTheLease() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire("a");
        SimulatedCall<?> late = one.network.take();
        late.fail(Effect.UNKNOWN);
        one.network.flow();
        world.advanceMillis(100);
        attempt.handle().extend(Duration.ofSeconds(100));

        late.execute();

        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.remainingLease()).isEqualTo(Duration.ofSeconds(100)));
        attempt.close();
        world.advanceSeconds(140);
    }

    @Test
    void theCancellationIsRepeatedUntilItArrives() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt leaving = one.acquire("a");
        one.network.disconnect();
        leaving.cancel();
        world.advanceSeconds(5);

        one.reconnect();

        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    @Test
    void aPlaceInTheQueueThatCouldNotBeGivenUpIsPassedOnWhenItsTurnComes() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt leaving = one.acquire("a");
        one.network.disconnect();
        leaving.cancel();
        world.advanceSeconds(70);
        one.reconnect();
        AsyncAttempt next = world.instance("three").acquire("a");

        elsewhere.close();

        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aLateCopyOfAReleaseDoesNotQueueAnIdThatWasCancelled() {
        Instance strict = world.instance(
                "strict",
                new EngineSettings(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        null,
                        Duration.ofSeconds(2),
                        0,
                        Duration.ZERO,
                        Duration.ZERO));
        AsyncAttempt first = strict.acquire("a");
        AsyncAttempt second = strict.acquire("a");
        AsyncAttempt elsewhere = two.acquire("a");
        elsewhere.cancel();
        strict.network.holdCommands();
        first.abandon();
        SimulatedCall<?> release = strict.network.take();
        second.cancel();
        release.fail(Effect.UNKNOWN);
        SimulatedCall<?> cancellation = strict.network.take();
        cancellation.run();

        release.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
        strict.network.flow();
        world.advanceSeconds(3);
    }

    @Test
    void theRefusalOfACancelledIdDoesNotFailOtherWaiters() {
        one.network.holdCommands();
        AsyncAttempt attempt = one.acquire("a");
        one.network.flow();
        SimulatedCall<?> command = one.network.take();
        long number = one.network.sent(AcquireCommand.class).get(0).number();
        one.store.release(new ReleaseCommand("a", number, 0, null, 1_000, false), (reply, failure) -> {});

        command.run();

        assertThat(attempt.isHeld()).isTrue();
        attempt.close();
    }
}
