/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** The result for the caller of an asynchronous method, once its work and the release have ended. */
final class CallOutcome {

    private static final Log log = SafeLog.of(CallOutcome.class);

    private CallOutcome() {}

    /** The failure to pass on, or null for success. */
    static @Nullable Throwable failureOf(CallPolicy policy, @Nullable Throwable work, @Nullable Throwable release) {
        if (work == null) {
            return policy.afterSuccess(release);
        }
        boolean mayComeOfLoss =
                policy.interrupts() && (work instanceof CancellationException || InterruptOnLoss.isConsequence(work));
        return policy.afterFailure(work, release, mayComeOfLoss);
    }

    /** A stage of another library need not support the conversion. */
    static CompletableFuture<?> futureOf(CompletionStage<?> stage) {
        try {
            return stage.toCompletableFuture();
        } catch (UnsupportedOperationException ex) {
            CompletableFuture<@Nullable Object> future = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> {
                if (failure == null) {
                    future.complete(value);
                } else {
                    future.completeExceptionally(failure);
                }
            });
            return future;
        }
    }

    /** Releases a hold under which no work was done, for a caller that no longer waits for the outcome. */
    static void closeUnused(LockHandle handle) {
        ReleaseStages.closeUnused(handle).whenComplete(CallOutcome::logFailure);
    }

    static void logFailure(@Nullable Void done, @Nullable Throwable failure) {
        if (failure != null) {
            log.debug("Released for a caller that has cancelled: " + failure.getMessage());
        }
    }
}
