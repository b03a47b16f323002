/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import org.jspecify.annotations.Nullable;

/** For methods whose work is complete when they return. */
final class BlockingInvocationAdapter implements ReturnTypeAdapter {

    @Override
    public @Nullable Object invoke(LockedCall call) throws Throwable {
        LockOperations locks = call.locks();
        LockRequest request = call.request();
        LockHandle handle;
        if (call.policy().skips()) {
            handle = requireAnswer(locks.tryAcquire(request), locks, "tryAcquire")
                    .orElse(null);
            if (handle == null) {
                return call.policy().skip(request.name());
            }
        } else {
            try {
                handle = requireAnswer(locks.acquire(request), locks, "acquire");
            } catch (LockNotAcquiredException busy) {
                return call.insteadOfCall(busy);
            }
        }
        return runAndClose(handle, call);
    }

    /**
     * A mock without stubs returns null, and a method must neither run without its lock nor be skipped without an
     * error.
     */
    static <T> T requireAnswer(@Nullable T answer, LockOperations locks, String method) {
        if (answer == null) {
            throw new IllegalStateException("LockOperations." + method + " returned null, so the method was not run ("
                    + locks.getClass().getName() + "). If it is a mock, stub " + method
                    + " to return a LockHandle, or set distributed-lock.enabled=false, which needs no Redis.");
        }
        return answer;
    }

    private static @Nullable Object runAndClose(LockHandle handle, LockedCall call) throws Throwable {
        CallPolicy policy = call.policy();
        Runnable end = isLeftToTransaction(handle, policy) ? handle::throwIfLost : handle::close;
        InterruptOnLoss interrupt = null;
        Object result;
        try {
            interrupt = policy.interrupts() ? InterruptOnLoss.of(handle) : null;
            result = run(handle, call);
        } catch (Throwable failure) {
            if (interrupt != null) {
                interrupt.end();
            }
            boolean mayComeOfLoss = interrupt != null && InterruptOnLoss.isConsequence(failure);
            throw policy.afterFailure(failure, failureOf(end), mayComeOfLoss);
        }
        if (interrupt != null) {
            interrupt.end();
        }
        Throwable failure = policy.afterSuccess(failureOf(end));
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    private static @Nullable Object run(LockHandle handle, LockedCall call) throws Throwable {
        try (LockScope scope = LockScope.open(handle, call.policy().lossMatters())) {
            return call.proceed();
        }
    }

    /** If the transaction cannot take over the hold, it must not remain. */
    private static boolean isLeftToTransaction(LockHandle handle, CallPolicy policy) throws Throwable {
        try {
            return policy.isLeftToTransaction(handle);
        } catch (RuntimeException failure) {
            throw policy.afterFailure(failure, failureOf(handle::close), false);
        }
    }

    /** Passes a hold to the transaction of the thread. If that already keeps the same one, this entry ends. */
    static void leaveToTransaction(LockHandle handle, CallPolicy policy) throws Throwable {
        if (!isLeftToTransaction(handle, policy)) {
            handle.close();
        }
    }

    private static @Nullable Throwable failureOf(Runnable end) {
        try {
            end.run();
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }
}
