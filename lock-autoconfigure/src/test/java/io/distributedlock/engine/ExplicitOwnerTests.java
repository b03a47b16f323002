/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.ReleaseResult;
import io.distributedlock.engine.LeaseStore.ReleaseCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An owner by name is the same in every instance, and counted in the store. */
class ExplicitOwnerTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final Instance two = world.instance("two");

    private static LockRequest as(String owner) {
        return LockRequest.of("a").owner(owner).waitForever();
    }

    @Test
    void theSameOwnerEntersAgainAnywhereWithTheSameToken() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt there = two.acquire(as("job"));

        assertThat(here.isHeld()).isTrue();
        assertThat(there.isHeld()).isTrue();
        assertThat(there.token()).isEqualTo(here.token());
        here.close();
        there.close();
    }

    @Test
    void theLockIsFreeWhenTheLastHoldIsClosed() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt there = two.acquire(as("job"));
        AsyncAttempt other = one.acquire("a");

        here.close();
        assertThat(there.isHeld()).isTrue();
        assertThat(other.isPending()).isTrue();
        there.close();

        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    @Test
    void anotherOwnerWaitsEvenInTheSameInstance() {
        AsyncAttempt job = one.acquire(as("job"));
        AsyncAttempt other = one.acquire(as("other"));

        assertThat(other.isPending()).isTrue();
        job.close();
        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    @Test
    void aSecondEntryThatIsNotReentrantIsRefusedAtOnce() {
        AsyncAttempt here = one.acquire(as("job"));

        AsyncAttempt there = two.acquire(as("job").reentrant(false));

        assertThat(there.failure()).isInstanceOf(LockNotAcquiredException.class).hasMessageContaining("not re-entrant");
        here.close();
    }

    @Test
    void waitersOfTheSameOwnerEnterTogether() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt first = one.acquire(as("job"));
        AsyncAttempt between = world.instance("three").acquire("a");
        AsyncAttempt second = two.acquire(as("job"));

        elsewhere.close();

        assertThat(first.isHeld()).isTrue();
        assertThat(second.isHeld()).isTrue();
        assertThat(between.isPending()).isTrue();
        first.close();
        second.close();
        assertThat(between.isHeld()).isTrue();
        between.close();
    }

    @Test
    void onlyOneOfTheWaitersThatMayNotReenterEnters() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt first = one.acquire(as("job").reentrant(false));
        AsyncAttempt sameInstance = one.acquire(as("job").reentrant(false));
        AsyncAttempt otherInstance = two.acquire(as("job").reentrant(false));
        AsyncAttempt mayReenter = world.instance("three").acquire(as("job"));
        AsyncAttempt other = world.instance("four").acquire("a");

        elsewhere.close();

        assertThat(first.isHeld() && mayReenter.isHeld()).isTrue();
        assertThat(sameInstance.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(otherInstance.isPending()).isTrue();
        world.advanceSeconds(2);
        assertThat(otherInstance.failure()).isInstanceOf(LockNotAcquiredException.class);
        first.close();
        assertThat(other.isPending()).isTrue();
        mayReenter.close();
        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    /** They take turns like other callers, unless their owner has the lock at their next request. */
    @Test
    void aWaiterThatMayNotReenterKeepsItsPlaceWhileItsOwnerHasAnEarlierOne() {
        AsyncAttempt elsewhere = world.instance("three").acquire("a");
        AsyncAttempt first = one.acquire(as("job").reentrant(false));
        AsyncAttempt second = two.acquire(as("job").reentrant(false));
        AsyncAttempt other = one.acquire("a");

        elsewhere.close();
        assertThat(first.isHeld()).isTrue();
        first.close();
        assertThat(second.isHeld()).isTrue();
        assertThat(other.isPending()).isTrue();
        second.close();

        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    @Test
    void aHoldOfADeadInstanceEndsWithItsOwnLease() {
        Instance dies = world.instance("dies");
        dies.acquire(as("job").lease(Duration.ofSeconds(4)));
        dies.network.disconnect();
        AsyncAttempt waiting = two.acquire("a");

        for (int second = 0; second < 3; second++) {
            AsyncAttempt again = one.acquire(as("job").lease(Duration.ofSeconds(4)));
            world.advanceSeconds(1);
            again.close();
            assertThat(waiting.isPending()).isTrue();
        }
        AsyncAttempt last = one.acquire(as("job").lease(Duration.ofSeconds(4)));
        world.advanceSeconds(2);
        last.close();

        assertThat(waiting.isHeld()).isTrue();
        waiting.close();
        dies.reconnect();
        world.advanceSeconds(60);
    }

    @Test
    void aReleaseByNameIsNotTakenFromTheHoldOfAnotherInstanceWhenADeadOneEnds() {
        Instance dies = world.instance("dies");
        dies.acquire(as("job").lease(Duration.ofSeconds(4)));
        dies.network.disconnect();
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt nested = one.acquire(as("job"));
        assertThat(two.engine.release("a", "job")).isEqualTo(ReleaseResult.STILL_HELD);
        world.advanceSeconds(5);

        nested.close();

        assertThat(here.isHeld()).isTrue();
        here.close();
        dies.reconnect();
        world.advanceSeconds(60);
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aReleaseByNameIsNotTakenFromTheOtherHoldIfOneIsLost() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt ends = two.acquire(as("job").maxHold(Duration.ofSeconds(5)));
        assertThat(two.engine.release("a", "job")).isEqualTo(ReleaseResult.STILL_HELD);

        world.advanceSeconds(6);

        assertThat(ends.isHeld()).isFalse();
        assertThat(here.isHeld()).isTrue();
        here.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aShorterLeaseOfTheOnlyHoldCountsForOthersToo() {
        AsyncAttempt here = one.acquire(as("job"));
        here.handle().extend(Duration.ofDays(1));
        assertThat(remaining()).isEqualTo(Duration.ofDays(1));

        here.handle().extend(Duration.ofSeconds(2));

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(2));
        here.close();
    }

    @Test
    void theLeaseOfAHoldThatIsClosedDoesNotOutlastTheOthers() {
        AsyncAttempt here = one.acquire(as("job").lease(Duration.ofSeconds(5)));
        two.acquire(as("job").lease(Duration.ofHours(1))).close();

        assertThat(remaining()).isEqualTo(Duration.ofSeconds(5));
        assertThat(here.isHeld()).isTrue();
        here.close();
    }

    private Duration remaining() {
        return world.leases.inspect("a").orElseThrow().remainingLease();
    }

    @Test
    void holdsAreReleasedByNameFromAnyInstance() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt again = one.acquire(as("job"));

        assertThat(two.engine.release("a", "other")).isEqualTo(ReleaseResult.NOT_YOURS);
        assertThat(two.engine.release("a", "job")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(here.isHeld() && again.isHeld()).isTrue();
        assertThat(two.engine.release("a", "job")).isEqualTo(ReleaseResult.RELEASED);
        assertThat(two.engine.release("a", "job")).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(here.isHeld() || again.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::close);
    }

    @Test
    void aReleaseByNameInTheHoldersInstanceNeedsNoMessage() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt again = one.acquire(as("job"));
        one.network.holdMessages();

        assertThat(one.engine.release("a", "job")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(here.isHeld() && again.isHeld()).isTrue();
        assertThat(one.engine.release("a", "other")).isEqualTo(ReleaseResult.NOT_YOURS);
        assertThat(here.isHeld() && again.isHeld()).isTrue();
        assertThat(one.engine.release("a", "job")).isEqualTo(ReleaseResult.RELEASED);

        assertThat(here.isHeld() || again.isHeld()).isFalse();
    }

    @Test
    void aHoldThatWasReleasedByNameCountsWhenTheOthersAreClosed() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt again = one.acquire(as("job"));
        two.engine.release("a", "job");

        again.close();

        assertThat(here.isHeld()).isFalse();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void theCloseThatEndsAllHoldsOfAnOwnerNeedsNoMessage() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt again = one.acquire(as("job"));
        one.network.holdMessages();
        two.engine.release("a", "job");

        again.close();

        assertThat(here.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(here::close);
    }

    @Test
    void aHoldThatBeginsAfterThatReleaseWasSentIsNotLostByItsReply() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt closed = one.acquire(as("job"));
        two.engine.release("a", "job");
        one.network.holdCommands();
        CompletableFuture<Void> closing = closed.handle().closeAsync().toCompletableFuture();
        SimulatedCall<?> release = one.network.take().execute();
        one.network.flow();
        AsyncAttempt next = one.acquire(as("job"));

        release.answer();

        assertThat(closing).isCompleted();
        assertThat(here.isHeld()).isFalse();
        assertThat(next.isHeld()).isTrue();
        next.close();
    }

    @Test
    void aLockWithoutAnExplicitOwnerCannotBeReleasedByName() {
        AsyncAttempt here = one.acquire("a");

        assertThat(two.engine.release("a", "one")).isEqualTo(ReleaseResult.NOT_YOURS);
        assertThat(here.isHeld()).isTrue();
        here.close();
    }

    @Test
    void allHoldsAreLostByForce() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt there = two.acquire(as("job"));

        one.engine.forceRelease("a");

        assertThat(here.isHeld() || there.isHeld()).isFalse();
    }

    @Test
    void theLongestLeaseOfAllHoldsCounts() {
        AsyncAttempt here = one.acquire(as("job"));
        AsyncAttempt there = two.acquire(as("job").lease(Duration.ofSeconds(3)));

        world.advanceSeconds(2);

        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.remainingLease()).isEqualTo(Duration.ofSeconds(28)));
        here.close();
        there.close();
    }

    @Test
    void aStrayGrantOfAnExplicitOwnerIsReleased() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt leaving = one.acquire(as("job"));
        one.network.disconnect();
        leaving.cancel();
        world.advanceSeconds(70);
        one.reconnect();

        elsewhere.close();

        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aWaiterThatLeavesDoesNotStayInTheQueue() {
        AsyncAttempt elsewhere = two.acquire("a");
        AsyncAttempt leaving = one.acquire(as("job"));
        leaving.cancel();

        assertThat(one.network.sent(ReleaseCommand.class)).hasSize(1);
        assertThat(world.leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        elsewhere.close();
    }

    private Instance retaining() {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return world.instance(
                "retaining",
                new EngineSettings(
                        defaults.lease(),
                        defaults.waitUpTo(),
                        null,
                        defaults.commandTimeout(),
                        32,
                        Duration.ofMillis(10),
                        defaults.shutdownGrace(),
                        Duration.ofSeconds(20),
                        EngineSettings.Release.AWAIT,
                        1_000));
    }

    @Test
    void aLeaseThatTheOwnInstanceRetainsIsReleasedAtOnce() {
        Instance retaining = retaining();
        retaining.acquire("a").close();
        assertThat(world.leases.leftovers()).isNotEmpty();

        AsyncAttempt job = retaining.acquire(as("job").noWait());

        assertThat(job.isHeld()).isTrue();
        job.close();
    }

    @Test
    void hasItsTurnAmongThreadsOfTheOwnInstance() {
        AsyncAttempt first = one.acquire("a");
        List<AsyncAttempt> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            threads.add(one.acquire("a"));
        }
        AsyncAttempt job = one.acquire(as("job"));
        first.close();
        int passes = 0;
        while (!job.isGranted()) {
            threads.get(passes++).close();
        }

        assertThat(passes).isLessThanOrEqualTo(33);
        job.close();
        for (AsyncAttempt thread : threads.subList(passes, threads.size())) {
            thread.close();
        }
    }

    /** It could take the lock later, without a holder. */
    @Test
    void aRefusedRequestWhoseFirstCopyIsStillOnItsWayIsCancelled() {
        LockRequest alone = LockRequest.of("a").owner("job").reentrant(false).waitForever();
        Instance here = world.instance("here");
        AsyncAttempt holding = world.instance("there").acquire(alone);
        here.network.holdCommands();
        AsyncAttempt refused = here.acquire(alone);
        SimulatedCall<?> late = here.network.take();
        world.advanceSeconds(3);
        here.network.take().execute().answer();
        assertThat(refused.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertThat(here.engine
                        .context()
                        .releases()
                        .isReleasingSince("a", here.engine.context().now()))
                .as("the request is cancelled")
                .isTrue();
        here.network.take().execute().answer();
        holding.close();

        late.execute();

        assertThat(world.leases.inspect("a")).isEmpty();
        here.network.flow();
    }
}
