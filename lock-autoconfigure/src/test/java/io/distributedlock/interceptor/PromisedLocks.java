/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Locks whose stages the test completes. A cancellation does not change them, as if the grant had come at the same
 * moment, but is recorded. The test can take a hold away.
 */
class PromisedLocks implements LockOperations {

    static final class Promise extends CompletableFuture<LockHandle> {

        boolean cancelled;

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            cancelled |= !isDone();
            return false;
        }

        /** The hold that fulfils it. */
        Hold grant() {
            Hold hold = new Hold();
            complete(hold);
            return hold;
        }

        Hold grantedHold() {
            return (Hold) join();
        }
    }

    static class Hold implements LockHandle {

        private final List<Runnable> callbacks = new ArrayList<>();

        private boolean lost;

        int closed;

        void lose() {
            lost = true;
            callbacks.forEach(Runnable::run);
        }

        @Override
        public String name() {
            return "work";
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public boolean isHeld() {
            return !lost && closed == 0;
        }

        @Override
        public Duration remainingLease() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void extend(Duration lease) {}

        @Override
        public void onLost(Runnable callback) {
            if (lost) {
                callback.run();
            } else {
                callbacks.add(callback);
            }
        }

        @Override
        public void throwIfLost() {
            if (lost) {
                throw new LockLostException("work", "lost", Duration.ZERO);
            }
        }

        @Override
        public void close() {
            closed++;
            throwIfLost();
        }
    }

    final List<Promise> promises = new ArrayList<>();

    final List<LockRequest> requests = new ArrayList<>();

    /** Thrown by each request, even if it is a checked exception; or null. */
    Exception failure;

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void fail(Exception failure) throws E {
        throw (E) failure;
    }

    /** The only one so far. */
    Promise promise() {
        if (promises.size() != 1) {
            throw new AssertionError("Expected one request, but there were " + promises.size());
        }
        return promises.get(0);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        return promise(request);
    }

    /** Grants at once. */
    @Override
    public LockHandle acquire(LockRequest request) {
        return promise(request).grant();
    }

    private Promise promise(LockRequest request) {
        if (failure != null) {
            PromisedLocks.<RuntimeException>fail(failure);
        }
        Promise promise = new Promise();
        requests.add(request);
        promises.add(promise);
        return promise;
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return Optional.of(acquire(request));
    }

    @Override
    public Optional<LockState> inspect(String name) {
        return Optional.empty();
    }

    @Override
    public ReleaseResult release(String name, String owner) {
        return ReleaseResult.NOT_HELD;
    }

    @Override
    public boolean forceRelease(String name) {
        return false;
    }
}
