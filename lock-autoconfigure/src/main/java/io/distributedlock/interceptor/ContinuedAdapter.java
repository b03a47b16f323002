/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * For methods that return an object which continues the work, such as a stream: the lock is acquired as for a blocking
 * method and held until that object reports its end. The hold belongs to no thread. In a transaction, the thread
 * acquires the lock, the transaction keeps that hold, and the object re-enters it.
 */
final class ContinuedAdapter implements ReturnTypeAdapter {

    private final ResultContinuation continuation;

    ContinuedAdapter(ResultContinuation continuation) {
        this.continuation = continuation;
    }

    @Override
    public @Nullable Object invoke(LockedCall call) throws Throwable {
        continuation.requireCaller();
        CallLocks wanted = call.wanted();
        ContinuedWork work;
        try {
            work = acquire(call, wanted);
        } catch (LockNotAcquiredException busy) {
            Object instead = call.insteadOfCall(busy);
            return call.skips(busy) ? continuation.skipped() : instead;
        }
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

    private static ContinuedWork acquire(LockedCall call, CallLocks wanted) throws Throwable {
        LockOwner outside = TransactionSupport.nested(LockOwner.nestedInCurrent());
        if (!call.policy().isInTransaction()) {
            LockHandle handle = wanted.acquire(request -> request.logicalOwner(outside));
            return new ContinuedWork(handle, outside, call.policy());
        }
        LockHandle ofThread = wanted.acquire(request -> request);
        BlockingInvocationAdapter.leaveOrClose(ofThread, call.policy());
        LockOwner owner = outside.nestedIn(List.of(ofThread));
        LockHandle again =
                wanted.acquire(request -> request.reentrant(true).noWait().logicalOwner(owner));
        return new ContinuedWork(again, owner, call.policy());
    }
}
