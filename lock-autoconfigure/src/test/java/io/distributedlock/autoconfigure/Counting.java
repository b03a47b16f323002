/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockCallback;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A decorator as an application may have it: counts the requests, and passes them on. */
class Counting implements LockOperations {

    final LockOperations real;

    int count;

    Counting(LockOperations real) {
        this.real = real;
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        count++;
        return real.acquire(request);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        count++;
        return real.tryAcquire(request);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        count++;
        return real.acquireAsync(request);
    }

    @Override
    public <T, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> callback) throws E {
        count++;
        return real.execute(request, callback);
    }

    @Override
    public Optional<LockState> inspect(String name) {
        return real.inspect(name);
    }

    @Override
    public ReleaseResult release(String name, String owner) {
        return real.release(name, owner);
    }

    @Override
    public boolean forceRelease(String name) {
        return real.forceRelease(name);
    }
}
