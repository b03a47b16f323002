/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A hold for work that goes on after its method has returned. Any thread may end it; only the first end counts. */
final class HeldWork {

    private static final Log logger = LogFactory.getLog(HeldWork.class);

    private final LockHandle handle;

    private final LockOwner owner;

    private final CallPolicy policy;

    private final AtomicBoolean finishing = new AtomicBoolean();

    HeldWork(LockHandle handle, LockOwner owner, CallPolicy policy) {
        this.handle = handle;
        this.owner = owner;
        this.policy = policy;
    }

    /**
     * Runs a part of the work. If the lock is lost meanwhile, the calling thread is interrupted, if the annotation says
     * so.
     */
    @Nullable
    Object run(ReturnTypeAdapter.Body part) throws Throwable {
        InterruptOnLoss interrupt = policy.interrupts() ? InterruptOnLoss.of(handle) : null;
        try (LockScope scope = LockScope.open(handle, policy.lossMatters(), owner)) {
            return part.proceed();
        } finally {
            if (interrupt != null) {
                interrupt.end();
            }
        }
    }

    /**
     * Runs what is left of the work, and releases the lock.
     *
     * @param <E> what the work throws
     * @throws IllegalStateException at the second call
     * @throws LockLostException without running it, if the lock is lost already and its loss matters
     */
    @SuppressWarnings("unchecked")
    <E extends Throwable> @Nullable Object finish(ReturnTypeAdapter.Body rest) throws E {
        if (!finishing.compareAndSet(false, true)) {
            throw new IllegalStateException("What runs under lock '" + handle.name()
                    + "' was run before, and the lock is released after that. Call the locked method again.");
        }
        Object result;
        try {
            if (policy.lossMatters()) {
                handle.throwIfLost();
            }
            result = run(rest);
        } catch (Throwable failure) {
            // That of the work, or unchecked.
            throw (E) end(failure);
        }
        end();
        return result;
    }

    /** The work is done. */
    void end() {
        try {
            handle.close();
        } catch (RuntimeException ex) {
            if (policy.afterSuccess(ex) != null) {
                throw ex;
            }
        }
    }

    /** The work has failed: what to throw. */
    Throwable end(Throwable failure) {
        try {
            handle.close();
            return failure;
        } catch (RuntimeException ex) {
            return policy.afterFailure(failure, ex, policy.interrupts() && InterruptOnLoss.isConsequence(failure));
        }
    }

    /** The response is complete. There is no caller to throw to, and the thread must not wait. */
    void endAfterResponse() {
        CallCompletion.close(handle).whenComplete((done, release) -> {
            Throwable failure = policy.afterSuccess(CallCompletion.unwrap(release));
            if (failure != null) {
                logger.warn("After the response had been written: " + failure.getMessage());
            }
        });
    }
}
