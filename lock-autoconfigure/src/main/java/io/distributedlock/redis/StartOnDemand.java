/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockHandle;
import io.distributedlock.engine.LibraryThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts a template for asynchronous calls before its start: on a thread of its own, one at a time, since opening
 * connections may take a command time-out. The acquisitions follow when it has started.
 */
final class StartOnDemand {

    private final Executor executor;

    private final AtomicReference<@Nullable CompletableFuture<Void>> starting = new AtomicReference<>();

    StartOnDemand() {
        this(StartOnDemand::onNewThread);
    }

    /** @param executor runs the start; only one at a time is given to it */
    StartOnDemand(Executor executor) {
        this.executor = executor;
    }

    private static void onNewThread(Runnable task) {
        LibraryThreads.create("distributed-lock-start", task).start();
    }

    /**
     * Cancelling or completing the stage ends the acquisition, or releases the granted lock.
     *
     * @param start of the template that is called: a spy of Mockito shares this object with the template it copies
     */
    CompletionStage<LockHandle> thenAcquire(Runnable start, Supplier<CompletionStage<LockHandle>> acquisition) {
        CompletableFuture<LockHandle> result = new CompletableFuture<>();
        started(start).whenComplete((done, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.isDone()) {
                acquire(acquisition, result);
            }
        });
        return result;
    }

    private static void acquire(
            Supplier<CompletionStage<LockHandle>> acquisition, CompletableFuture<LockHandle> result) {
        try {
            follow(acquisition.get().toCompletableFuture(), result);
        } catch (RuntimeException | Error ex) {
            result.completeExceptionally(ex);
        }
    }

    private static void follow(CompletableFuture<LockHandle> acquiring, CompletableFuture<LockHandle> result) {
        acquiring.whenComplete((handle, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.complete(handle)) {
                handle.closeUnused();
            }
        });
        result.whenComplete((handle, failure) -> acquiring.cancel(false));
    }

    private CompletableFuture<Void> started(Runnable start) {
        CompletableFuture<Void> own = new CompletableFuture<>();
        CompletableFuture<Void> known = starting.compareAndExchange(null, own);
        if (known != null) {
            return known;
        }
        try {
            executor.execute(() -> run(start, own));
        } catch (RuntimeException | Error ex) {
            failed(own, ex);
        }
        return own;
    }

    private void run(Runnable start, CompletableFuture<Void> started) {
        try {
            start.run();
            starting.set(null);
            started.complete(null);
        } catch (RuntimeException | Error ex) {
            failed(started, ex);
        }
    }

    /** The next call tries again. */
    private void failed(CompletableFuture<Void> started, Throwable failure) {
        starting.set(null);
        started.completeExceptionally(failure);
    }
}
