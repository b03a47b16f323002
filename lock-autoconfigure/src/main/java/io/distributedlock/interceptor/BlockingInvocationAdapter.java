/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockScope;
import org.jspecify.annotations.Nullable;

/** For methods whose work is complete when they return. */
final class BlockingInvocationAdapter implements ReturnTypeAdapter {

    @Override
    public @Nullable Object invoke(LockedCall call) throws Throwable {
        CallLocks wanted = call.wanted();
        LockHandle handle;
        try {
            handle = call.policy().skips() ? wanted.tryAcquire().orElse(null) : wanted.acquire(request -> request);
        } catch (LockNotAcquiredException busy) {
            return call.insteadOfCall(busy);
        }
        return handle == null ? call.policy().skip(wanted.name()) : runAndClose(handle, call);
    }

    private static @Nullable Object runAndClose(LockHandle handle, LockedCall call) throws Throwable {
        CallPolicy policy = call.policy();
        Runnable end = leaveToTransaction(handle, policy) ? handle::throwIfLost : handle::close;
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
    private static boolean leaveToTransaction(LockHandle handle, CallPolicy policy) throws Throwable {
        try {
            return policy.leaveToTransaction(handle);
        } catch (Throwable failure) {
            throw policy.afterFailure(failure, failureOf(handle::close), false);
        }
    }

    /** Passes a hold to the transaction of the thread. If that already keeps the same one, this entry ends. */
    static void leaveOrClose(LockHandle handle, CallPolicy policy) throws Throwable {
        if (!leaveToTransaction(handle, policy)) {
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
