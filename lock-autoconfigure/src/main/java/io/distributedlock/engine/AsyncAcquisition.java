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

    private static final AtomicReferenceFieldUpdater<AsyncAcquisition, @Nullable Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(AsyncAcquisition.class, Object.class, "state");

    private final EngineContext engine;

    /**
     * The {@link Waiter} whose result no thread delivers yet, or the {@link Delivery} of the one that does. Whichever
     * thread replaces the waiter delivers its result.
     */
    private volatile @Nullable Object state;

    AsyncAcquisition(EngineContext engine) {
        this.engine = engine;
    }

    /**
     * Completes when the thread that delivers has ended: with null, or with a failure that is yet to be delivered. A
     * thread that waits delivers it itself, since there may be no other.
     */
    private static final class Delivery extends CompletableFuture<@Nullable DistributedLockException> {}

    void start(Waiter waiter) {
        state = waiter;
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
        if (state == waiter) {
            engine.callbacks().result(waiter.enclosing, () -> deliver(waiter, result));
        }
    }

    private void deliver(Waiter waiter, AcquireResult decided) {
        Delivery delivery = new Delivery();
        if (!STATE.compareAndSet(this, waiter, delivery)) {
            return;
        }
        try {
            deliverTaken(waiter, decided, delivery);
        } catch (Throwable ex) {
            failToDeliver(waiter, decided, ex);
            delivery.complete(null);
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

    private void deliverTaken(Waiter waiter, AcquireResult decided, Delivery delivery) {
        AcquireResult result = decided.abandonIfLate();
        Waiter again = result instanceof AcquireResult.Late && !isDone() ? waiter.again() : null;
        if (again != null) {
            start(again);
            leaveIfDone(isDone());
            delivery.complete(null);
            return;
        }
        engine.listening().decided(waiter, result);
        if (!(result instanceof AcquireResult.Granted granted)) {
            fail(waiter, engine.calls().failureAsync(waiter, result), delivery);
            return;
        }
        if (!complete(granted.handle()) && granted.handle() instanceof DefaultLockHandle handle) {
            handle.abandon();
        }
        delivery.complete(null);
    }

    /** The holder of a busy lock may have to be requested; its reply arrives on the network's thread. */
    private void fail(Waiter waiter, CompletableFuture<DistributedLockException> failure, Delivery delivery) {
        if (failure.isDone()) {
            completeExceptionally(failure.join());
            delivery.complete(null);
        } else {
            failure.thenAccept(known -> {
                delivery.complete(known);
                completeSoon(waiter, known);
            });
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

    /** Completes when there is something to deliver or to wait for next, and without application code. */
    CompletableFuture<?> progress() {
        Object now = state;
        if (now instanceof Waiter waiter) {
            return waiter.result;
        }
        return now instanceof Delivery delivery ? delivery : CompletableFuture.completedFuture(null);
    }

    /** The calling thread waits: if there is a result, it need not wait for another thread to complete this. */
    void deliverIfDecided() {
        if (state instanceof Waiter waiter && waiter.result.isDone()) {
            deliver(waiter, waiter.result.join());
        }
        if (state instanceof Delivery delivery && delivery.isDone()) {
            DistributedLockException failure = delivery.join();
            if (failure != null) {
                completeExceptionally(failure);
            }
        }
    }

    // ---- each completion, also from outside, ends the wait

    /** @return the same */
    private boolean leaveIfDone(boolean done) {
        if (done && state instanceof Waiter waiter) {
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
        if (super.cancel(false) && state instanceof Waiter waiter) {
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
