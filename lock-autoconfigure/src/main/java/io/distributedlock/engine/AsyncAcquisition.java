/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The future of an asynchronous acquisition, and the owner of its hold. Its result is told on a thread for
 * continuations, or by a thread that waits for the future, whichever comes first: so a waiting thread gets it although
 * all those threads are busy.
 */
final class AsyncAcquisition extends AcquireStage<LockHandle> {

    private final EngineContext engine;

    /** Who waits and was not told yet. */
    private final AtomicReference<@Nullable Waiter> waiting = new AtomicReference<>();

    AsyncAcquisition(EngineContext engine) {
        this.engine = engine;
    }

    void start(Waiter waiter) {
        waitAs(waiter);
        whenComplete((handle, failure) -> leaveUntold());
    }

    private void waitAs(Waiter waiter) {
        waiting.set(waiter);
        waiter.result.thenAccept(result -> engine.callbacks().result(waiter.enclosing, () -> tell(waiter, result)));
        engine.arm(waiter, waiter.terms.triesOnce() ? waiter.patienceEnd() : waiter.waitEnd());
        engine.locks().enqueue(waiter);
    }

    private void leaveUntold() {
        Waiter waiter = waiting.get();
        if (waiter != null) {
            waiter.leave();
            tellIfDecided();
        }
    }

    private void tell(Waiter waiter, AcquireResult decided) {
        if (!waiting.compareAndSet(waiter, null)) {
            return;
        }
        AcquireResult result = decided.orLate();
        Waiter again = result instanceof AcquireResult.Late && !isDone() ? waiter.again() : null;
        if (again != null) {
            waitAs(again);
            if (isDone()) {
                leaveUntold();
            }
            return;
        }
        engine.listening().decided(waiter, result);
        if (!(result instanceof AcquireResult.Granted granted)) {
            fail(waiter, engine.calls().failureAsync(waiter, result));
        } else if (!complete(granted.handle()) && granted.handle() instanceof DefaultLockHandle handle) {
            handle.abandon();
        }
    }

    /** The holder of a busy lock may have to be asked for; its answer comes on the network's thread. */
    private void fail(Waiter waiter, CompletableFuture<DistributedLockException> failure) {
        if (failure.isDone()) {
            completeExceptionally(failure.join());
        } else {
            failure.thenAccept(
                    known -> engine.callbacks().result(waiter.enclosing, () -> completeExceptionally(known)));
        }
    }

    @Override
    AsyncAcquisition root() {
        return this;
    }

    /** Completes before this does, and without any code of the application; already complete if nobody waits. */
    CompletableFuture<?> result() {
        Waiter waiter = waiting.get();
        return waiter == null ? CompletableFuture.completedFuture(null) : waiter.result;
    }

    /** The calling thread waits: if there is a result, it need not wait for a thread that tells it. */
    void tellIfDecided() {
        Waiter waiter = waiting.get();
        if (waiter != null && waiter.result.isDone()) {
            tell(waiter, waiter.result.join());
        }
    }
}
