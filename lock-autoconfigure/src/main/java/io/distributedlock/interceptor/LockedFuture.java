/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The future of the caller of a locked method, or one that depends on it. The threads for bodies are limited. If all of
 * them wait here for other locked methods, no thread remains to start these. So a thread that runs such a body, and
 * waits without a limit, waits for the grant first and starts the method itself. No other thread does: it has a
 * transaction or a time-out of its caller.
 */
final class LockedFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private final CompletableFuture<LockHandle> acquisition;

    LockedFuture(CompletableFuture<LockHandle> acquisition) {
        this.acquisition = acquisition;
    }

    @Override
    public T join() {
        if (!isDone() && LibraryThreadMarker.mayRunAnother()) {
            grantedOrThis().join();
        }
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        if (!isDone() && LibraryThreadMarker.mayRunAnother()) {
            grantedOrThis().get();
        }
        return super.get();
    }

    /** A future like that of the acquisition, which needs no other thread to end a wait for it. */
    private CompletableFuture<?> grantedOrThis() {
        CompletableFuture<@Nullable Object> either = acquisition.newIncompleteFuture();
        acquisition.whenComplete((handle, failure) -> either.complete(null));
        whenComplete((value, failure) -> either.complete(null));
        return either;
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new LockedFuture<>(acquisition);
    }
}
