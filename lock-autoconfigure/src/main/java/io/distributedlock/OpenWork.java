/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Counts what has begun under a hold and has to end before the release. Begins and ends come from any thread, and an
 * end may come before, during or after the end of the call. Once the call has ended, nothing is counted any more.
 */
final class OpenWork {

    /** Completes with the last end after the end of the call; null until that has come. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<@Nullable Void> ended;

    @GuardedBy("this")
    private int open;

    /** @return false if the call has ended: the release does not wait, and {@link #end()} must not be called */
    synchronized boolean begin() {
        if (ended != null) {
            return false;
        }
        open++;
        return true;
    }

    void end() {
        CompletableFuture<@Nullable Void> complete;
        synchronized (this) {
            open--;
            complete = open == 0 ? ended : null;
        }
        if (complete != null) {
            complete.complete(null);
        }
    }

    /**
     * The call has ended.
     *
     * @return completes with the end of the last work that had begun by then, in the thread that reports it; is
     *     complete if there is none
     */
    synchronized CompletionStage<@Nullable Void> close() {
        if (ended == null) {
            ended = open == 0 ? CompletableFuture.completedFuture(null) : new CompletableFuture<>();
        }
        return ended;
    }
}
