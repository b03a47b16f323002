/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.composite.ReleaseStages;
import io.distributedlock.composite.StageFailures;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** A hold for work that continues after its method has returned. Any thread may end it; only the first end counts. */
final class ContinuedWork {

    private static final Log log = SafeLog.of(ContinuedWork.class);

    private final LockHandle handle;

    private final LockOwner owner;

    private final CallPolicy policy;

    private final AtomicBoolean finishing = new AtomicBoolean();

    /** Of the latest part of the work; null before the first one. */
    private volatile @Nullable LockScope latest;

    ContinuedWork(LockHandle handle, LockOwner owner, CallPolicy policy) {
        this.handle = handle;
        this.owner = owner;
        this.policy = policy;
    }

    /**
     * Runs a part of the work. If the lock is lost meanwhile, the calling thread is interrupted if the annotation
     * requires it.
     */
    @Nullable
    Object run(ReturnTypeAdapter.Body part) throws Throwable {
        InterruptOnLoss interrupt = interruptOnLoss();
        try (LockScope scope = openScope()) {
            return part.proceed();
        } finally {
            if (interrupt != null) {
                interrupt.end();
            }
        }
    }

    /**
     * Runs the rest of the work, and releases the lock.
     *
     * @param <E> the exception of the work
     * @throws IllegalStateException at the second call, and after the request has ended
     * @throws LockLostException without running it, if the lock is already lost and its loss is not ignored
     */
    @SuppressWarnings("unchecked")
    <E extends Throwable> @Nullable Object finish(ReturnTypeAdapter.Body rest) throws E {
        claim();
        Object result;
        try {
            throwIfLost();
            result = run(rest);
        } catch (Throwable failure) {
            // The exception of the work, or an unchecked one.
            throw (E) end(failure);
        }
        end();
        return result;
    }

    private void claim() {
        if (!finishing.compareAndSet(false, true)) {
            throw new IllegalStateException("What runs under lock '" + LockNames.show(handle.name())
                    + "' was run before, or its request has ended. The lock is released after that. Call the locked"
                    + " method again.");
        }
    }

    /**
     * The rest of the work begins, and its caller ends it.
     *
     * @throws IllegalStateException if it was begun before, and after the request has ended
     * @throws LockLostException if the lock is already lost and its loss is not ignored; then the work has ended
     */
    void begin() {
        claim();
        try {
            throwIfLost();
        } catch (LockLostException loss) {
            end(loss);
            throw loss;
        }
    }

    /** To be closed by the calling thread. */
    LockScope openScope() {
        LockScope scope = LockScope.open(handle, policy.lossMatters(), owner);
        latest = scope;
        return scope;
    }

    /** To be ended by the calling thread; null if a loss does not interrupt. */
    @Nullable
    InterruptOnLoss interruptOnLoss() {
        return policy.interrupts() ? InterruptOnLoss.of(handle) : null;
    }

    /** Runs the action with the loss when that comes, if a loss interrupts; perhaps at once. */
    void onInterruptingLoss(Consumer<RuntimeException> action) {
        if (policy.interrupts()) {
            MultiLockHandle.onInterruptingLoss(handle, () -> {
                try {
                    handle.throwIfLost();
                } catch (RuntimeException loss) {
                    action.accept(loss);
                }
            });
        }
    }

    /** Throws after a loss that interrupts, on whatever thread runs it; null if none does. */
    @Nullable
    Runnable checkOfInterruptingLoss() {
        if (!policy.interrupts()) {
            return null;
        }
        AtomicBoolean interrupted = new AtomicBoolean();
        MultiLockHandle.onInterruptingLoss(handle, () -> interrupted.set(true));
        return () -> {
            if (interrupted.get()) {
                throwIfLost();
            }
        };
    }

    /** @throws LockLostException if the lock is lost and its loss is not ignored */
    void throwIfLost() {
        if (policy.lossMatters()) {
            handle.throwIfLost();
        }
    }

    /** The work is complete. */
    void end() {
        try {
            handle.close();
        } catch (RuntimeException ex) {
            if (policy.afterSuccess(ex) != null) {
                throw ex;
            }
        }
    }

    /** The work has failed. Returns the exception to throw. */
    Throwable end(Throwable failure) {
        try {
            handle.close();
            return failure;
        } catch (Throwable ex) { // Also an error: the failure of the work must not get lost.
            return policy.afterFailure(failure, ex, policy.interrupts() && InterruptOnLoss.isConsequence(failure));
        }
    }

    /**
     * The work is complete when the stage has completed.
     *
     * @return completes as the stage does, after the release; cancelling it cancels the stage
     */
    CompletableFuture<@Nullable Object> endWith(CompletionStage<?> rest) {
        LockScope scope = latest;
        RunningFuture running = new RunningFuture(CallOutcome.futureOf(rest), scope);
        CompletableFuture<@Nullable Object> ended = new CompletableFuture<>();
        if (policy.interrupts()) {
            MultiLockHandle.onInterruptingLoss(handle, running::cancel);
        }
        running.whenEnded((value, failure) -> releaseAfter(scope).whenComplete((done, release) -> {
            Throwable thrown =
                    CallOutcome.failureOf(policy, StageFailures.ofWork(failure), StageFailures.unwrap(release));
            if (thrown == null) {
                ended.complete(value);
            } else {
                ended.completeExceptionally(thrown);
            }
        }));
        ended.whenComplete((value, failure) -> {
            if (ended.isCancelled()) {
                running.cancel();
            }
        });
        return ended;
    }

    private CompletionStage<@Nullable Void> releaseAfter(@Nullable LockScope scope) {
        return scope == null ? ReleaseStages.close(handle) : CallRelease.release(scope, policy.lossMatters());
    }

    /** The work is complete when this publisher has been subscribed to and has ended. Needs Reactor. */
    LockedResponseBody continuedBy(Publisher<Object> rest) {
        return new LockedResponseBody(rest, handle, owner, policy, null, latest);
    }

    /**
     * The request has ended, or the response is complete: so is the work, unless a thread still runs it, which then
     * ends it. No caller would receive an exception, and the thread must not wait.
     */
    void endUnlessBegun() {
        if (finishing.compareAndSet(false, true)) {
            releaseAfter(latest).whenComplete(this::logAfterResponse);
        }
    }

    private void logAfterResponse(@Nullable Void done, @Nullable Throwable release) {
        Throwable failure = policy.afterSuccess(StageFailures.unwrap(release));
        if (failure != null) {
            log.warn("After the response had been written: " + failure.getMessage());
        }
    }
}
