/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockScope;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The future of work that runs under a lock. It belongs to the application, which decides what a cancellation does: one
 * that refuses it continues the work, so the work ends with it; the work of one that throws counts as ended.
 */
final class RunningFuture {

    private static final Log log = SafeLog.of(RunningFuture.class);

    private final CompletableFuture<?> future;

    private final @Nullable LockScope scope;

    private final CompletableFuture<@Nullable Object> end = new CompletableFuture<>();

    /** @param scope of the work; null if it runs under no lock */
    RunningFuture(CompletableFuture<?> future, @Nullable LockScope scope) {
        this.future = future;
        this.scope = scope;
        future.whenComplete((value, failure) -> {
            if (failure == null) {
                end.complete(value);
            } else {
                end.completeExceptionally(failure);
            }
        });
    }

    void whenEnded(BiConsumer<? super @Nullable Object, ? super @Nullable Throwable> action) {
        end.whenComplete(action);
    }

    /**
     * Some futures complete first and then cancel what they wait for, such as the subscription of
     * {@code Mono.toFuture()}: the release comes after both.
     */
    void cancel() {
        boolean counted = scope != null && scope.beginWork();
        try {
            future.cancel(true);
        } catch (Throwable ex) {
            CancellationException cancelled = new CancellationException("The cancellation threw an exception");
            cancelled.initCause(ex);
            if (end.completeExceptionally(cancelled)) {
                log.warn(
                        "The future of a locked method threw an exception when it was cancelled. Its lock is released",
                        ex);
            }
        } finally {
            if (counted && scope != null) {
                scope.endWork();
            }
        }
    }
}
