/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition of several names. If it has ended without them, all of them are released.
 */
final class LockSetStage extends CompletableFuture<LockHandle> {

    private final LockEngine engine;

    private final LockRequest request;

    private final LockSet.Wait wait;

    private final ReentrantLock guard = new ReentrantLock();

    @GuardedBy("guard")
    private final List<DefaultLockHandle> held = new ArrayList<>();

    @GuardedBy("guard")
    private @Nullable CompletableFuture<LockHandle> acquiring;

    @GuardedBy("guard")
    private boolean ended;

    /** The handle with which this stage completes itself; any other comes from outside. */
    private volatile @Nullable LockHandle made;

    LockSetStage(LockEngine engine, LockRequest request, LockSet.Wait wait) {
        this.engine = engine;
        this.request = request;
        this.wait = wait;
    }

    void start() {
        whenComplete((handle, failure) -> {
            if (handle == null || handle != made) {
                end();
            }
        });
        askOn();
    }

    /** Requests one name after the other; continues in this loop as long as the results are available at once. */
    private void askOn() {
        while (true) {
            CompletableFuture<LockHandle> next = next();
            if (next == null) {
                return;
            }
            if (!next.isDone()) {
                next.whenComplete((handle, failure) -> {
                    if (take(handle, failure)) {
                        askOn();
                    }
                });
                return;
            }
            if (!take(next.handle((handle, failure) -> handle).join(), failureOf(next))) {
                return;
            }
        }
    }

    private static @Nullable Throwable failureOf(CompletableFuture<LockHandle> done) {
        return done.handle((handle, failure) -> failure).join();
    }

    /** The request for the next name, or null if there is none. */
    private @Nullable CompletableFuture<LockHandle> next() {
        guard.lock();
        try {
            if (ended || held.size() == request.names().size()) {
                return null;
            }
            String name = request.names().get(held.size());
            CompletableFuture<LockHandle> next =
                    engine.acquireAsync(wait.forName(name)).toCompletableFuture();
            acquiring = next;
            return next;
        } finally {
            guard.unlock();
        }
    }

    /** @return whether there are more names to request */
    private boolean take(@Nullable LockHandle handle, @Nullable Throwable failure) {
        if (handle == null) {
            fail(StoreFailures.unwrap(failure));
            return false;
        }
        DefaultLockHandle granted = (DefaultLockHandle) handle;
        boolean late;
        List<DefaultLockHandle> all = null;
        guard.lock();
        try {
            late = ended;
            if (!late) {
                held.add(granted);
                all = held.size() == request.names().size() ? List.copyOf(held) : null;
            }
        } finally {
            guard.unlock();
        }
        if (late) {
            granted.beginRollBack();
        } else if (all != null) {
            finish(all);
        }
        return !late && all == null;
    }

    private void finish(List<DefaultLockHandle> all) {
        try {
            LockHandle own = LockSetHandle.of(request, all);
            made = own;
            complete(own);
        } catch (RuntimeException ex) {
            fail(ex);
        }
    }

    private void fail(Throwable failure) {
        end();
        completeExceptionally(failure instanceof LockNotAcquiredException busy ? wait.told(busy) : failure);
    }

    /** Cancelled, timed out or failed: ends the wait and releases the granted names. */
    private void end() {
        List<DefaultLockHandle> granted;
        CompletableFuture<LockHandle> open;
        guard.lock();
        try {
            ended = true;
            granted = new ArrayList<>(held);
            held.clear();
            open = acquiring;
        } finally {
            guard.unlock();
        }
        if (open != null) {
            open.cancel(false);
        }
        for (int i = granted.size() - 1; i >= 0; i--) {
            granted.get(i).beginRollBack();
        }
    }

    /** Stages that depend on this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
