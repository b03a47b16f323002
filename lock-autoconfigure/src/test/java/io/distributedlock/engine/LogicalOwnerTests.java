/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Re-entry of work that belongs to no thread. */
class LogicalOwnerTests {

    @RegisterExtension
    final EngineTestSupport world = new EngineTestSupport();

    private final Instance one = world.instance("one");

    private final LockOwner owner = LockOwner.create();

    private AsyncAttempt acquire(LockOwner by) {
        return one.acquire(LockRequest.of("a").waitForever().logicalOwner(by));
    }

    private static LockScope scope(AsyncAttempt attempt, LockOwner by) {
        return LockScope.open(attempt.handle(), true, by);
    }

    @Test
    void theSameOwnerEntersAgainAtOnceAndWithoutACommand() {
        AsyncAttempt outer = acquire(owner);
        AsyncAttempt inner = acquire(owner);

        assertThat(inner.token()).isEqualTo(outer.token());
        assertThat(one.network.sent()).hasSize(1);
        outer.close();
        assertThat(inner.isHeld()).isTrue();
        inner.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void nestedWorkEntersWhatIsHeldAroundIt() {
        AsyncAttempt outer = acquire(owner);
        AsyncAttempt inner = acquire(owner.nested().nested());

        assertThat(inner.token()).isEqualTo(outer.token());
        outer.close();
        inner.close();
    }

    @Test
    void parallelBranchesOfOneOwnerExcludeEachOther() {
        AsyncAttempt branch = acquire(owner.nested());
        AsyncAttempt other = acquire(owner.nested());
        AsyncAttempt around = acquire(owner);

        assertThat(other.isPending()).isTrue();
        assertThat(around.isPending()).isTrue();
        branch.close();
        other.close();
        around.close();
    }

    @Test
    void aRequestThatIsNotReentrantIsRefusedAtOnce() {
        AsyncAttempt outer = acquire(owner);
        AsyncAttempt inner =
                one.acquire(LockRequest.of("a").waitForever().reentrant(false).logicalOwner(owner.nested()));

        assertThat(inner.failure()).isInstanceOf(LockNotAcquiredException.class).hasMessageContaining("not re-entrant");
        outer.close();
    }

    @Test
    void blockingWorkEntersWhatTheOwnerAroundItHolds() {
        AsyncAttempt outer = acquire(owner);
        try (LockScope scope = scope(outer, owner);
                LockHandle inner = one.engine.acquire(LockRequest.of("a"))) {
            assertThat(inner.fencingToken()).isEqualTo(outer.token());
        }
        outer.close();
    }

    @Test
    void whatBlockingWorkOfOneBranchHoldsIsNotEnteredByAnother() {
        AsyncAttempt outer = acquire(owner);
        try (LockScope scope = scope(outer, owner);
                LockHandle inner = one.engine.acquire(LockRequest.of("b"))) {
            AsyncAttempt branch = one.acquire(LockRequest.of("b").noWait().logicalOwner(LockOwner.nestedInCurrent()));
            assertThat(branch.failure()).isInstanceOf(LockNotAcquiredException.class);
            assertThat(inner.isHeld()).isTrue();
        }
        outer.close();
    }

    @Test
    void asynchronousWorkEntersWhatTheThreadAroundItHolds() {
        try (LockHandle outer = one.engine.acquire(LockRequest.of("a"));
                LockScope scope = LockScope.open(outer)) {
            AsyncAttempt inner = acquire(LockOwner.nestedInCurrent());
            assertThat(inner.token()).isEqualTo(outer.fencingToken());
            inner.close();
        }
        assertThat(world.leases.leftovers()).isEmpty();
    }

    /** The thread goes on to do something else, which the work that it has started must be safe from. */
    @Test
    void workThatOutlivesTheCallOfItsThreadIsNotEnteredByTheThread() {
        LockHandle outer = one.engine.acquire(LockRequest.of("a"));
        AsyncAttempt inner;
        try (LockScope scope = LockScope.open(outer)) {
            inner = acquire(LockOwner.nestedInCurrent());
        }
        outer.close();

        assertThat(inner.isHeld()).isTrue();
        assertThat(one.engine.tryAcquire(LockRequest.of("a").noWait())).isEmpty();
        inner.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    @Test
    void aThreadMayLeaveInAnyOrder() {
        LockHandle outer = one.engine.acquire(LockRequest.of("a"));
        LockHandle again = one.engine.acquire(LockRequest.of("a"));
        AsyncAttempt inner;
        try (LockScope scope = LockScope.open(outer)) {
            inner = acquire(LockOwner.nestedInCurrent());
        }
        outer.close();
        one.engine.acquire(LockRequest.of("a")).close();
        inner.close();
        assertThat(again.isHeld()).isTrue();
        again.close();
        assertThat(world.leases.leftovers()).isEmpty();
    }

    /** Work was done under the lock, if not by the entry that is rolled back. */
    @Test
    void theRollBackOfANestedEntryLeavesTheMinimumOfTheHold() {
        LockOwner owner = LockOwner.create();
        LockRequest request = LockRequest.of("a").waitForever();
        AsyncAttempt outer = one.acquire(request.logicalOwner(owner).minHold(Duration.ofSeconds(10)));
        AsyncAttempt nested = one.acquire(request.logicalOwner(owner.nested()));
        outer.close();

        ((DefaultLockHandle) nested.handle()).closeUnused();

        assertThat(one.tryOnce("a").failure()).isInstanceOf(LockNotAcquiredException.class);
        world.advanceSeconds(10);
        one.tryOnce("a").close();
    }
}
