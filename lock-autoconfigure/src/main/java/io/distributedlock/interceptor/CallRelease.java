/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The release at the end of an asynchronous call, of which transactions may be left that have not completed yet. */
final class CallRelease {

    private CallRelease() {}

    /**
     * Releases when all {@linkplain LockScope#beginWork work} in the scope has ended, at once if none is left. It does
     * not block a thread.
     *
     * @param lossMatters whether the caller is not to wait for such work after the loss of the lock
     * @return the outcome of the release, or the loss if that comes first
     */
    static CompletionStage<@Nullable Void> release(
            LockScope scope, boolean lossMatters, Supplier<CompletionStage<@Nullable Void>> release) {
        CompletableFuture<@Nullable Void> work = scope.whenWorkHasEnded().toCompletableFuture();
        if (work.isDone()) {
            return release.get();
        }
        CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
        work.whenComplete((ended, none) -> release.get().whenComplete((done, failure) -> {
            if (failure == null) {
                outcome.complete(null);
            } else {
                outcome.completeExceptionally(failure);
            }
        }));
        if (lossMatters) {
            MultiLockHandle.onReportedLoss(scope.handle(), () -> failIfLost(scope.handle(), outcome));
        }
        return outcome;
    }

    static CompletionStage<@Nullable Void> release(LockScope scope, boolean lossMatters) {
        return release(scope, lossMatters, () -> ReleaseStages.close(scope.handle()));
    }

    private static void failIfLost(LockHandle handle, CompletableFuture<@Nullable Void> outcome) {
        try {
            handle.throwIfLost();
        } catch (RuntimeException loss) {
            outcome.completeExceptionally(loss);
        }
    }
}
