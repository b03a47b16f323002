/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import io.distributedlock.LockHandle;
import io.distributedlock.redis.history.Event.Phase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Several locks that were acquired together. Each of them is recorded as a hold of its own. */
public final class RecordedSet implements AutoCloseable {

    private final LockHandle handle;

    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final List<RecordedHandle> parts;

    /** @param asked the request for each of the names */
    RecordedSet(History history, List<Event> asked, @Nullable Duration minHold, LockHandle handle) {
        this.handle = handle;
        this.parts = asked.stream()
                .map(each -> new RecordedHandle(history, each, minHold, new Part(each.lock())))
                .toList();
    }

    /** The holds. They are closed with this object only. */
    public List<RecordedHandle> parts() {
        return parts;
    }

    /** Sets the lease of all of them. */
    public void extend(Duration lease) {
        parts.forEach(RecordedHandle::extending);
        Phase outcome = Phase.UNKNOWN;
        try {
            handle.extend(lease);
            outcome = Phase.OK;
        } finally {
            for (RecordedHandle part : parts) {
                part.extended(outcome);
            }
        }
    }

    @Override
    public void close() {
        parts.forEach(RecordedHandle::closeAsync);
        try {
            handle.close();
            closed.complete(null);
        } catch (RuntimeException | Error e) {
            // Which of them failed is not known.
            closed.completeExceptionally(new IllegalStateException(e));
            throw e;
        }
    }

    /** One of the names. The handle says of all of them together whether they are held, and for how long at least. */
    private final class Part implements LockHandle {

        private final String name;

        Part(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long fencingToken() {
            return handle.fencingTokens().get(name);
        }

        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public Duration remainingLease() {
            return handle.remainingLease();
        }

        @Override
        public void extend(Duration lease) {
            throw new UnsupportedOperationException("Only all locks of a set are extended");
        }

        @Override
        public void onLost(Runnable callback) {
            handle.onLost(callback);
        }

        @Override
        public void throwIfLost() {
            handle.throwIfLost();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("Only all locks of a set are closed");
        }

        @Override
        public CompletionStage<Void> closeAsync() {
            return closed;
        }
    }
}
