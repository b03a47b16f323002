/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition of several locks. If it has ended without them, all of them are released.
 */
final class SeveralLocksStage extends CompletableFuture<LockHandle> {

    private final List<SeveralLocks.One> all;

    private final SeveralLocks locks;

    private final UnaryOperator<LockRequest> change;

    private final SeveralLocks.Wait wait;

    private final ReentrantLock guard = new ReentrantLock();

    @GuardedBy("guard")
    private final List<LockHandle> held = new ArrayList<>();

    @GuardedBy("guard")
    private @Nullable CompletableFuture<LockHandle> acquiring;

    @GuardedBy("guard")
    private boolean ended;

    /** The handle with which this stage completes itself; any other comes from outside. */
    private volatile @Nullable LockHandle made;

    SeveralLocksStage(SeveralLocks locks, UnaryOperator<LockRequest> change) {
        this.locks = locks;
        this.all = locks.all();
        this.change = change;
        this.wait = new SeveralLocks.Wait(all.size());
    }

    void start() {
        whenComplete((handle, failure) -> {
            if (handle == null || handle != made) {
                end();
            }
        });
        requestNext();
    }

    /** Requests one lock after the other; continues in this loop as long as the results are available at once. */
    private void requestNext() {
        while (true) {
            CompletableFuture<LockHandle> next = next();
            if (next == null) {
                return;
            }
            if (!next.isDone()) {
                next.whenComplete((handle, failure) -> {
                    if (take(handle, failure)) {
                        requestNext();
                    }
                });
                return;
            }
            Throwable failure = next.handle((handle, ex) -> ex).join();
            if (!take(failure == null ? next.join() : null, failure)) {
                return;
            }
        }
    }

    /** The request for the next lock, or null if there is none. */
    private @Nullable CompletableFuture<LockHandle> next() {
        guard.lock();
        try {
            if (ended || held.size() == all.size()) {
                return null;
            }
            CompletableFuture<LockHandle> next = request(all.get(held.size()));
            acquiring = next;
            return next;
        } finally {
            guard.unlock();
        }
    }

    private CompletableFuture<LockHandle> request(SeveralLocks.One one) {
        try {
            LockRequest request = wait.goesOnFor(change.apply(one.request()));
            return new WantedLock(one.locks(), request)
                    .acquireAsync(same -> same)
                    .toCompletableFuture();
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /** @return whether there are more locks to request */
    private boolean take(@Nullable LockHandle handle, @Nullable Throwable failure) {
        if (handle == null) {
            fail(CallCompletion.unwrap(failure));
            return false;
        }
        boolean late;
        List<LockHandle> complete = null;
        guard.lock();
        try {
            late = ended;
            if (!late) {
                held.add(handle);
                complete = held.size() == all.size() ? List.copyOf(held) : null;
            }
        } finally {
            guard.unlock();
        }
        if (late) {
            SeveralLocks.rollBack(List.of(handle));
        } else if (complete != null) {
            finish(complete);
        }
        return !late && complete == null;
    }

    private void finish(List<LockHandle> complete) {
        try {
            LockHandle own = locks.together(complete);
            made = own;
            complete(own);
        } catch (RuntimeException ex) {
            fail(ex);
        }
    }

    /** The caller gets the failure when the other locks are free. */
    private void fail(@Nullable Throwable failure) {
        SeveralLocks.One busyOne = all.get(Math.min(heldCount(), all.size() - 1));
        end().whenAll().whenComplete((done, none) -> {
            if (failure instanceof LockNotAcquiredException busy) {
                completeExceptionally(wait.told(busyOne, busy));
            } else {
                completeExceptionally(
                        failure == null
                                ? new IllegalStateException("LockOperations.acquireAsync gave no handle")
                                : failure);
            }
        });
    }

    private int heldCount() {
        guard.lock();
        try {
            return held.size();
        } finally {
            guard.unlock();
        }
    }

    /** Cancelled, timed out or failed: ends the wait and releases the granted locks. */
    private Closing end() {
        List<LockHandle> granted;
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
        return SeveralLocks.rollBack(granted);
    }

    /** Stages that depend on this one are plain futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
