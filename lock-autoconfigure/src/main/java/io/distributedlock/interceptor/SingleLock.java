/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The request of one annotation, and the locks to send it to. */
record SingleLock(LockOperations locks, LockRequest request) implements CallLocks {

    @Override
    public String name() {
        return request.name();
    }

    @Override
    public LockHandle acquire(UnaryOperator<LockRequest> change) {
        return requireResult(locks.acquire(change.apply(request)), "acquire");
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(UnaryOperator<LockRequest> change) {
        LockRequest changed = change.apply(request);
        CompletionStage<LockHandle> stage;
        try {
            stage = locks.acquireAsync(changed);
        } catch (RuntimeException ex) { // A decorator may throw what the library reports by the stage.
            return CompletableFuture.failedFuture(ex);
        }
        return requireResult(stage, "acquireAsync");
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        return requireResult(locks.tryAcquire(request), "tryAcquire");
    }

    /**
     * A mock without stubs returns null, and a method must neither run without its lock nor be skipped without an
     * error.
     */
    private <T> T requireResult(@Nullable T result, String method) {
        if (result == null) {
            throw new IllegalStateException("LockOperations." + method + " returned null, so the method was not run ("
                    + locks.getClass().getName() + "). If it is a mock, stub " + method
                    + " to return a LockHandle, or set distributed-lock.enabled=false, which needs no Redis.");
        }
        return result;
    }
}
