/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The work under a lock that a reactive transaction keeps. It may outlast the transaction, as a response does. */
public final class WorkInTransaction {

    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    private final CompletableFuture<@Nullable Void> rolledBack = new CompletableFuture<>();

    WorkInTransaction() {}

    /** From now on, other work of the transaction may enter the lock. Releases it if the transaction has completed. */
    public void end() {
        ended.complete(null);
    }

    /**
     * Registers what ends work that has not begun when the transaction is rolled back, since it may never begin then.
     *
     * @param callback runs at once if the transaction has been rolled back
     */
    public void onRollback(Runnable callback) {
        rolledBack.thenRun(callback);
    }

    void rollBack() {
        rolledBack.complete(null);
    }

    boolean hasEnded() {
        return ended.isDone();
    }

    CompletionStage<@Nullable Void> whenEnded() {
        return ended;
    }
}
