/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * For methods that return an object which goes on with the work, such as a stream: the lock is acquired as for a
 * blocking method and held until that object says that it is done. The hold belongs to no thread.
 */
final class ContinuedAdapter implements ReturnTypeAdapter {

    private final Continuation continuation;

    ContinuedAdapter(Continuation continuation) {
        this.continuation = continuation;
    }

    @Override
    public @Nullable Object invoke(LockedCall call) throws Throwable {
        LockOperations locks = call.locks();
        LockOwner owner = LockOwner.nestedInCurrent();
        LockHandle handle;
        try {
            handle = BlockingInvocationAdapter.requireAnswer(
                    locks.acquire(call.request().logicalOwner(owner)), locks, "acquire");
        } catch (LockNotAcquiredException busy) {
            Object instead = call.insteadOfCall(busy);
            return call.policy().skips() ? continuation.skipped() : instead;
        }
        HeldWork work = new HeldWork(handle, owner, call.policy());
        Object result;
        try {
            result = work.run(call::proceed);
            Object later = result == null ? null : continuation.holdUntilDone(result, work);
            if (later != null) {
                return later;
            }
        } catch (Throwable failure) {
            throw work.end(failure);
        }
        work.end();
        return result;
    }
}
