/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The end of a call whose transaction has not completed. */
class CallReleaseTests {

    private final PromisedLocks.Hold ignored = new PromisedLocks.Hold();

    private final PromisedLocks.Hold guarded = new PromisedLocks.Hold();

    private final LockScope scope = LockScope.ofSubscription(
            new MultiLockHandle(List.of(part(ignored, WhenLost.IGNORE), part(guarded, WhenLost.THROW))),
            true,
            LockOwner.create(),
            null);

    private static MultiLockHandle.Part part(PromisedLocks.Hold hold, WhenLost whenLost) {
        return new MultiLockHandle.Part(hold, new CallPolicy(WhenBusy.THROW, whenLost, false, () -> false, null, null));
    }

    @Test
    void theCallerDoesNotWaitAfterALossThatMattersAlthoughAnIgnoredOneCameBefore() {
        assertThat(scope.beginWork()).isTrue();
        CompletableFuture<Void> outcome = CallRelease.release(scope, true).toCompletableFuture();
        ignored.lose();
        assertThat(outcome).isNotDone();
        guarded.lose();
        assertThat(outcome).isCompletedExceptionally();
        assertThat(guarded.closed).isZero();
    }

    @Test
    void theReleaseFollowsTheWork() {
        assertThat(scope.beginWork()).isTrue();
        CompletableFuture<Void> outcome = CallRelease.release(scope, true).toCompletableFuture();
        scope.endWork();
        assertThat(outcome).isCompleted();
        assertThat(ignored.closed).isOne();
        assertThat(guarded.closed).isOne();
    }
}
