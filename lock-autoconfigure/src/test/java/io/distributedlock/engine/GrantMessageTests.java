/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import io.distributedlock.engine.LeaseStore.RenewCommand;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A grant by message is a hint: it may be lost, late, doubled, or come to a caller that has left. */
class GrantMessageTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private final AsyncAttempt elsewhere = two.acquire("a");

    private AsyncAttempt waitWithLease(long millis) {
        return one.acquire(LockRequest.of("a").lease(Duration.ofMillis(millis)).waitForever());
    }

    @Test
    void theLockIsHandedOverWithoutAnotherCommandOfTheWaiter() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.forgetSent();

        elsewhere.close();

        assertThat(waiting.isHeld()).isTrue();
        assertThat(one.network.sent()).isEmpty();
        waiting.close();
    }

    /** The message was published right after the request was answered, and both answer and message are slow. */
    @Test
    void aGrantMayBeAsOldAsTheLastRequestWithABusyReply() {
        one.network.holdCommands();
        one.network.holdMessages();
        AsyncAttempt waiting = one.acquire("a");
        SimulatedCall<?> command = one.network.take().execute();
        elsewhere.close();
        world.advanceMillis(1_500);
        one.network.flow();
        command.answer();

        one.network.takeMessage().arrive();

        assertThat(waiting.handle().remainingLease())
                .isPositive()
                .isLessThanOrEqualTo(world.leases.inspect("a").orElseThrow().remainingLease());
        waiting.close();
    }

    /** A copy of the request may arrive later and get the lock again, for a lease from then on. */
    @Test
    void aReleaseAfterAnUnansweredRequestIsRetriedForTwoLeases() {
        one.network.holdCommands();
        AsyncAttempt waiting = waitWithLease(30_000);
        one.network.take().execute();
        elsewhere.close();
        assertThat(waiting.isHeld()).isTrue();

        waiting.handle().closeAsync();

        world.advanceSeconds(45);
        assertThat(one.engine
                        .context()
                        .releases()
                        .isReleasingSince("a", one.engine.context().now()))
                .isTrue();
        world.advanceSeconds(20);
        assertThat(one.engine
                        .context()
                        .releases()
                        .isReleasingSince("a", one.engine.context().now()))
                .isFalse();
    }

    @Test
    void aLostMessageIsReplacedByARequestWithinASecond() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();
        one.network.takeMessage();

        world.advanceMillis(1_020);

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    /** Others of that name, such as explicit owners in line, send no request with it. */
    @Test
    void onlyTheAcquisitionWhoseGrantDoesNotCountSendsARequestAtOnce() {
        AsyncAttempt waiting = one.acquire("a");
        AsyncAttempt other = one.acquire(LockRequest.of("a").owner("job").waitForever());
        long number = one.network.sent(AcquireCommand.class).get(0).number();
        one.network.forgetSent();

        one.engine.locks().requestAgain("a", number);

        assertThat(one.network.sent(AcquireCommand.class))
                .extracting(AcquireCommand::number)
                .containsExactly(number);
        other.cancel();
        waiting.cancel();
        elsewhere.close();
    }

    /** The hold is over, and its id is no longer known, but the lock stays taken. */
    @Test
    void aLateMessageDoesNotEndTheMinimumOfItsHold() {
        AsyncAttempt waiting = one.acquire(LockRequest.of("a").waitForever().minHold(Duration.ofSeconds(10)));
        one.network.holdMessages();
        elsewhere.close();
        world.advanceMillis(1_020);
        waiting.close();

        one.network.takeMessage().arrive();

        assertThat(two.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        world.advanceSeconds(10);
        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    /** A grant that replicas have to acknowledge is renewed when its message arrives. */
    @Test
    void aLateMessageDoesNotLengthenTheMinimumOfItsHold() {
        AsyncAttempt waiting = one.acquire(LockRequest.of("a").waitForever().minHold(Duration.ofSeconds(10)));
        one.network.holdMessages();
        elsewhere.close();
        world.advanceMillis(1_020);
        String id = Objects.requireNonNull(world.leases.entry("a")).holder;
        waiting.close();

        world.leases.renew(id, new RenewCommand("a", 0, 60_000, 0, false));
        one.network.takeMessage().arrive();

        assertThat(two.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        world.advanceSeconds(10);
        AsyncAttempt next = two.tryOnce("a");
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aConnectionThatIsRestoredCausesARequestAtOnce() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.disconnect();
        elsewhere.close();
        assertThat(waiting.isPending()).isTrue();

        one.reconnect();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aGrantCountsFromTheLatestRequestWithABusyReply() {
        AsyncAttempt waiting = waitWithLease(2_000);
        one.network.holdMessages();
        elsewhere.close();
        world.pauseMillis(600);

        one.network.takeMessage().arrive();

        assertThat(waiting.handle().remainingLease()).isEqualTo(Duration.ofMillis(2_000 - 20 - 600));
        waiting.close();
    }

    @Test
    void aGrantThatMayHaveLessThanHalfItsLeaseLeftIsConfirmedByARequest() {
        AsyncAttempt waiting = waitWithLease(1_000);
        one.network.holdMessages();
        elsewhere.close();
        world.pauseMillis(600);
        one.network.holdCommands();

        one.network.takeMessage().arrive();
        assertThat(waiting.isPending()).isTrue();
        one.network.flow();
        one.network.take().run();

        assertThat(waiting.handle().remainingLease()).isEqualTo(Duration.ofMillis(990));
        waiting.close();
    }

    /** The releasing instance may not have seen it. */
    @Test
    void aGrantBelowATokenThatIsAheadOfTheClockIsConfirmedByARequest() {
        AsyncAttempt waiting = waitWithLease(1_000);
        long ahead = elsewhere.token() + 60_000_000;
        one.engine.context().tokenSeen(ahead);

        elsewhere.close();

        assertThat(waiting.token()).isGreaterThan(ahead);
        waiting.close();
    }

    @Test
    void aGrantThatComesAfterItsLeaseIsNoHold() {
        AsyncAttempt waiting = waitWithLease(1_000);
        one.network.holdMessages();
        elsewhere.close();
        world.pauseMillis(5_000);
        AsyncAttempt next = two.acquire("a");

        one.network.takeMessage().arrive();

        assertThat(next.isHeld()).isTrue();
        assertThat(waiting.isPending()).isTrue();
        one.network.flow();
        next.close();
        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aGrantThatExpiredBeforeALaterRequestIsNotTakenForANewOne() {
        AsyncAttempt waiting = waitWithLease(1_000);
        one.network.holdMessages();
        elsewhere.close();
        world.pauseMillis(1_500);
        AsyncAttempt next = two.acquire("a");
        world.runTimers();

        one.network.takeMessage().arrive();

        assertThat(next.isHeld()).isTrue();
        assertThat(waiting.isPending()).isTrue();
        one.network.flow();
        next.close();
        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aLateGrantCausesOneMoreRequestAfterTheOneUnderWay() {
        AsyncAttempt waiting = waitWithLease(600);
        one.network.holdMessages();
        one.network.holdCommands();
        world.advanceMillis(310);
        assertThat(one.network.held()).isNotEmpty();
        SimulatedCall<?> busy = one.network.take().execute();
        elsewhere.close();
        one.network.takeMessage().arrive();
        assertThat(waiting.isPending()).isTrue();
        one.network.flow();

        busy.answer();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aGrantWhoseMessageWasLostIsFoundWhileItLasts() {
        AsyncAttempt waiting = waitWithLease(500);
        one.network.holdMessages();
        elsewhere.close();
        one.network.takeMessage();

        world.advanceMillis(260);

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
    }

    @Test
    void aDuplicateGrantIsOneGrant() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();
        TestNetwork.Arrival message = one.network.takeMessage();
        message.arrive();
        one.network.forgetSent();

        message.arrive();

        assertThat(waiting.isHeld()).isTrue();
        assertThat(one.network.sent()).isEmpty();
        waiting.close();
    }

    @Test
    void aDuplicateGrantAfterTheReleaseDoesNotAffectTheNextHolder() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();
        TestNetwork.Arrival message = one.network.takeMessage();
        message.arrive();
        waiting.close();
        AsyncAttempt next = two.acquire("a");

        message.arrive();

        assertThat(next.isHeld()).isTrue();
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.owner()).isEqualTo("two"));
        next.close();
    }

    @Test
    void aGrantForAnUnknownAcquisitionIsReleased() {
        one.engine.locks().granted("b", 999, 1, 30_000, 0);

        assertThat(one.network.sent(ReleaseCommand.class))
                .singleElement()
                .satisfies(release -> assertThat(release.number()).isEqualTo(999));
        elsewhere.close();
    }

    @Test
    void aGrantThatCrossesACancellationIsReleased() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();

        waiting.cancel();
        assertThat(world.leases.leftovers()).isEmpty();
        AsyncAttempt next = two.acquire("a");
        one.network.takeMessage().arrive();

        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aGrantThatCrossesTheEndOfAWaitIsReleased() {
        AsyncAttempt waiting = one.acquire(LockRequest.of("a").waitUpTo(Duration.ofMillis(50)));
        one.network.holdMessages();
        elsewhere.close();
        world.advanceMillis(50);

        one.network.takeMessage().arrive();

        assertThat(waiting.failure()).isNotNull();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aGrantMessageAfterAReplyThatGrantedIsIgnored() {
        AsyncAttempt waiting = one.acquire("a");
        one.network.holdMessages();
        elsewhere.close();
        world.advanceMillis(1_020);
        assertThat(waiting.isHeld()).isTrue();
        int commands = one.network.sent(AcquireCommand.class).size();

        one.network.takeMessage().arrive();

        assertThat(waiting.isHeld()).isTrue();
        assertThat(one.network.sent(AcquireCommand.class)).hasSize(commands);
        waiting.close();
    }

    /** The message may be for another owner of that name in this instance. */
    @Test
    void aLockThatIsNoLongerInUseKnowsNoGrant() {
        NamedLock retired = new NamedLock(one.engine.context(), "b", "job");
        assertThat(retired.granted(1, 1, 30_000, 0)).isFalse();

        assertThat(retired.granted(1, 1, 30_000, 0)).isFalse();

        elsewhere.close();
    }
}
