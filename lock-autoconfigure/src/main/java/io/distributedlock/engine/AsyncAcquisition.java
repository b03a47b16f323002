/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.composite.PartOfAcquisition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition. A thread for continuations completes it, or a thread that waits for the
 * future, whichever comes first: so a waiting thread gets the result even if all those threads are busy.
 *
 * <p>Tens of thousands may wait. So this class overrides all methods that complete a future, instead of having another
 * future depend on each, and the waiter refers to it directly.
 */
final class AsyncAcquisition extends AcquireStage<LockHandle> implements PartOfAcquisition {

    private static final AtomicReferenceFieldUpdater<AsyncAcquisition, @Nullable Waiter> WAITING =
            AtomicReferenceFieldUpdater.newUpdater(AsyncAcquisition.class, Waiter.class, "waiting");

    private final EngineContext engine;

    /** The waiter that has no result yet. */
    private volatile @Nullable Waiter waiting;

    AsyncAcquisition(EngineContext engine) {
        this.engine = engine;
    }

    void start(Waiter waiter) {
        waiting = waiter;
        waiter.stage = this;
        try {
            engine.arm(waiter, waiter.request.triesOnce() ? waiter.patienceEnd() : waiter.waitEnd());
            engine.locks().enqueue(waiter);
        } catch (Throwable ex) {
            engine.doLater(() -> waiter.fail(ex));
        }
    }

    /** The wait has ended. Called by any thread, including that of the network. */
    void decided(Waiter waiter, AcquireResult result) {
        if (waiting == waiter) {
            engine.callbacks().result(waiter.enclosing, () -> deliver(waiter, result));
        }
    }

    private void deliver(Waiter waiter, AcquireResult decided) {
        if (!WAITING.compareAndSet(this, waiter, null)) {
            return;
        }
        try {
            deliverTaken(waiter, decided);
        } catch (Throwable ex) {
            failToDeliver(waiter, decided, ex);
        }
    }

    /**
     * No other thread delivers its result any more, so a failure here is the result. A grant without a receiver is
     * released.
     */
    private void failToDeliver(Waiter waiter, AcquireResult decided, Throwable failure) {
        try {
            completeExceptionally(
                    AcquireResult.failed(failure).toException(waiter.request.name(), waiter.waited(), null));
        } finally {
            if (decided instanceof AcquireResult.Granted granted
                    && granted.handle() instanceof DefaultLockHandle handle
                    && !isCompletedWith(handle)) {
                handle.abandon();
            }
        }
    }

    private boolean isCompletedWith(LockHandle handle) {
        return isDone() && !isCompletedExceptionally() && getNow(handle) == handle;
    }

    private void deliverTaken(Waiter waiter, AcquireResult decided) {
        AcquireResult result = decided.abandonIfLate();
        Waiter again = result instanceof AcquireResult.Late && !isDone() ? waiter.again() : null;
        if (again != null) {
            start(again);
            leaveIfDone(isDone());
            return;
        }
        engine.listening().decided(waiter, result);
        if (!(result instanceof AcquireResult.Granted granted)) {
            fail(waiter, engine.calls().failureAsync(waiter, result));
        } else if (!complete(granted.handle()) && granted.handle() instanceof DefaultLockHandle handle) {
            handle.abandon();
        }
    }

    /** The holder of a busy lock may have to be requested; its reply arrives on the network's thread. */
    private void fail(Waiter waiter, CompletableFuture<DistributedLockException> failure) {
        if (failure.isDone()) {
            completeExceptionally(failure.join());
        } else {
            failure.thenAccept(known -> completeSoon(waiter, known));
        }
    }

    private void completeSoon(Waiter waiter, DistributedLockException failure) {
        try {
            engine.callbacks().result(waiter.enclosing, () -> completeExceptionally(failure));
        } catch (Throwable ex) {
            engine.doLater(() -> engine.callbacks().result(waiter.enclosing, () -> completeExceptionally(failure)));
        }
    }

    @Override
    AsyncAcquisition root() {
        return this;
    }

    /** Completes before this future, and without application code; already complete if no caller waits. */
    CompletableFuture<?> result() {
        Waiter waiter = waiting;
        return waiter == null ? CompletableFuture.completedFuture(null) : waiter.result;
    }

    /** The calling thread waits: if there is a result, it need not wait for another thread to complete this. */
    void deliverIfDecided() {
        Waiter waiter = waiting;
        if (waiter != null && waiter.result.isDone()) {
            deliver(waiter, waiter.result.join());
        }
    }

    // ---- each completion, also from outside, ends the wait

    /** @return the same */
    private boolean leaveIfDone(boolean done) {
        Waiter waiter = done ? waiting : null;
        if (waiter != null) {
            waiter.cancelWait();
            deliverIfDecided();
        }
        return done;
    }

    @Override
    public boolean complete(LockHandle handle) {
        return leaveIfDone(super.complete(handle));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return leaveIfDone(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return leaveIfDone(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public void endAfterLoss(Throwable loss) {
        Waiter waiter = super.cancel(false) ? waiting : null;
        if (waiter != null) {
            waiter.end(new AcquireResult.Unavailable(StoreFailures.message(loss), loss));
            deliverIfDecided();
        }
    }

    @Override
    public CompletableFuture<LockHandle> completeAsync(Supplier<? extends LockHandle> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                if (!isDone()) {
                    complete(supplier.get());
                }
            } catch (Throwable ex) {
                completeExceptionally(ex);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(LockHandle handle) {
        super.obtrudeValue(handle);
        leaveIfDone(true);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        super.obtrudeException(failure);
        leaveIfDone(true);
    }
}
