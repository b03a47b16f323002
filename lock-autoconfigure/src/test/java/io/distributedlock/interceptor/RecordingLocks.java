/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Grants every lock, and writes down what was asked. Tests make it busy or broken. */
public class RecordingLocks implements LockOperations {

    private final List<LockRequest> requests = Collections.synchronizedList(new ArrayList<>());

    private final List<String> events;

    private boolean busy;

    private RuntimeException failureOfAcquire;

    private Throwable failureOfClose;

    public RecordingLocks() {
        this(Collections.synchronizedList(new ArrayList<>()));
    }

    /** Shares its list of events with others, to see the order. */
    public RecordingLocks(List<String> events) {
        this.events = events;
    }

    public RecordingLocks busy() {
        busy = true;
        return this;
    }

    RecordingLocks failAcquire(RuntimeException failure) {
        failureOfAcquire = failure;
        return this;
    }

    public RecordingLocks failClose(Throwable failure) {
        failureOfClose = failure;
        return this;
    }

    public List<LockRequest> requests() {
        return requests;
    }

    public List<String> events() {
        return events;
    }

    /** The name of the only request so far. */
    public String name() {
        return request().name();
    }

    LockRequest request() {
        if (requests.size() != 1) {
            throw new AssertionError("Expected one request, but there were " + requests);
        }
        return requests.get(0);
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return ask("acquire", request)
                .orElseThrow(() -> new LockNotAcquiredException(request.name(), "busy", Duration.ZERO));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return ask("tryAcquire", request);
    }

    private Optional<LockHandle> ask(String how, LockRequest request) {
        requests.add(request);
        events.add(how);
        if (failureOfAcquire != null) {
            throw failureOfAcquire;
        }
        return busy ? Optional.empty() : Optional.of(new Handle(request.name()));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request) {
        return ask("acquireAsync", request)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> CompletableFuture.failedFuture(
                        new LockNotAcquiredException(request.name(), "busy", Duration.ZERO)));
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

    private final class Handle implements LockHandle {

        private final String name;

        Handle(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long fencingToken() {
            return requests.size();
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public Duration remainingLease() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void extend(Duration lease) {}

        @Override
        public void onLost(Runnable callback) {}

        @Override
        public void throwIfLost() {}

        @Override
        public void close() {
            events.add("close");
            if (failureOfClose != null) {
                throw RecordingLocks.<RuntimeException>sneaky(failureOfClose);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable failure) throws E {
        throw (E) failure;
    }
}
