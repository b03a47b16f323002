/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNames;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.composite.StageFailures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call of a method that returns a future. The method is called when the lock is granted: on the calling thread if
 * that is at once, as with a re-entry, otherwise on a thread of the library for application code. Its lock is held
 * until the method's future has completed. Cancellation of the caller's future ends the wait, or cancels the method's
 * future.
 */
final class FutureCall {

    /** The thread's id, so that a thread that has ended is not kept. */
    private final long caller = Thread.currentThread().getId();

    private final LockOwner owner = TransactionSupport.nested(LockOwner.nestedInCurrent());

    /** Of the calling thread, since another one may call the method. */
    private final @Nullable LockScope outer = LockScope.current();

    private final LockedCall call;

    private final ReturnTypeAdapter.Body body;

    private final CompletableFuture<LockHandle> acquisition;

    private final CompletableFuture<@Nullable Object> result;

    private volatile @Nullable RunningFuture work;

    /** Of the method, once that is called. */
    private @Nullable LockScope scope;

    FutureCall(LockedCall call, CallLocks wanted) {
        this.call = call;
        this.body = call.body().repeatable();
        this.acquisition = acquire(wanted, owner);
        this.result = new LockedFuture<>(acquisition);
    }

    private static CompletableFuture<LockHandle> acquire(CallLocks wanted, LockOwner owner) {
        try {
            return wanted.acquireAsync(request -> request.logicalOwner(owner)).toCompletableFuture();
        } catch (Throwable ex) { // Also a checked one, which code in another language may throw.
            return CompletableFuture.failedFuture(ex);
        }
    }

    CompletableFuture<@Nullable Object> start() {
        acquisition.whenComplete(this::acquired).exceptionally(this::failed);
        result.whenComplete((value, failure) -> ended());
        return result;
    }

    private void acquired(@Nullable LockHandle handle, @Nullable Throwable failure) {
        if (handle == null) {
            refused(StageFailures.unwrap(failure));
        } else if (result.isDone()) {
            CallOutcome.closeUnused(handle);
        } else {
            run(handle);
        }
    }

    /**
     * The acquisition has failed, which {@link #acquired} has reported; or that has failed itself, as after an overflow
     * of the stack: the caller must get a result, and the hold must not outlast the call.
     */
    private @Nullable LockHandle failed(Throwable failure) {
        LockHandle handle = acquisition.isCompletedExceptionally() ? null : acquisition.join();
        if (work != null || result.isDone()) {
            return handle;
        }
        if (handle == null) {
            result.completeExceptionally(StageFailures.ofWork(failure));
        } else {
            release(handle, null, failure);
        }
        return handle;
    }

    private void refused(@Nullable Throwable failure) {
        if (failure == null) {
            result.completeExceptionally(StageFailures.withoutHandle());
        } else if (failure instanceof LockNotAcquiredException busy) {
            busy(busy);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private void busy(LockNotAcquiredException busy) {
        try {
            Object instead = insteadOfCall(busy);
            if (call.skips(busy) || !(instead instanceof CompletionStage<?> stage)) {
                result.complete(call.skips(busy) ? instead : null);
            } else {
                RunningFuture running = begun(new RunningFuture(CallOutcome.futureOf(stage), null));
                running.whenEnded((value, failure) -> end(value, StageFailures.ofWork(failure)));
            }
        } catch (Throwable failure) {
            result.completeExceptionally(failure);
        }
    }

    /** As the work of the caller, on any thread: a fallback may enter the locks that are held around the call. */
    private @Nullable Object insteadOfCall(LockNotAcquiredException busy) throws Throwable {
        LockScope before = LockScope.current();
        LockScope.show(outer);
        try (LockScope around = outer == null ? null : LockScope.open(outer.handle(), false, owner)) {
            return proceed(() -> call.insteadOfCall(busy));
        } finally {
            LockScope.show(before);
        }
    }

    private void end(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private void run(LockHandle handle) {
        RunningFuture running;
        try {
            CompletableFuture<?> future = call(handle);
            running = new RunningFuture(future, scope);
        } catch (Throwable failure) {
            release(handle, null, failure);
            return;
        }
        if (call.policy().interrupts()) {
            MultiLockHandle.onInterruptingLoss(handle, running::cancel);
        }
        begun(running).whenEnded((value, failure) -> release(handle, value, failure));
    }

    /** From now on, a cancellation by the caller cancels this future of the method or of its fallback. */
    private RunningFuture begun(RunningFuture running) {
        work = running;
        if (result.isCancelled()) {
            running.cancel();
        }
        return running;
    }

    private CompletableFuture<?> call(LockHandle handle) throws Throwable {
        InterruptOnLoss interrupt = call.policy().interrupts() ? InterruptOnLoss.of(handle) : null;
        LockScope before = LockScope.current();
        LockScope.show(outer);
        try (LockScope inside = LockScope.open(handle, call.policy().lossMatters(), owner)) {
            scope = inside;
            if (proceed(body) instanceof CompletionStage<?> stage) {
                return CallOutcome.futureOf(stage);
            }
            throw new IllegalStateException("The method that runs under lock '" + LockNames.show(handle.name())
                    + "' returned null instead of a future");
        } finally {
            LockScope.show(before);
            if (interrupt != null) {
                interrupt.end();
            }
        }
    }

    private @Nullable Object proceed(ReturnTypeAdapter.Body work) throws Throwable {
        return Thread.currentThread().getId() == caller ? work.proceed() : LibraryThreadMarker.run(work);
    }

    private void release(LockHandle handle, @Nullable Object value, @Nullable Throwable failure) {
        LockScope inside = scope;
        CompletionStage<@Nullable Void> released = inside == null
                ? ReleaseStages.close(handle)
                : CallRelease.release(inside, call.policy().lossMatters());
        released.whenComplete((done, ofRelease) -> end(
                value,
                CallOutcome.failureOf(call.policy(), StageFailures.ofWork(failure), StageFailures.unwrap(ofRelease))));
    }

    /** The caller's future has completed, perhaps by the caller itself. */
    private void ended() {
        acquisition.cancel(true);
        RunningFuture running = work;
        if (running != null && result.isCancelled()) {
            running.cancel();
        }
    }
}
