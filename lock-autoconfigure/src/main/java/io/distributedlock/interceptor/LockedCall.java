/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method, for the adapter of its return type.
 *
 * @param operation the content of the annotation
 * @param locks the locks to use
 * @param prepared the request if it was created before, or null
 * @param body the rest of the call
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
record LockedCall(
        LockOperation operation,
        LockOperations locks,
        @Nullable LockRequest prepared,
        @Nullable Object target,
        @Nullable Object[] arguments,
        ReturnTypeAdapter.Body body) {

    CallPolicy policy() {
        return operation.policy();
    }

    /**
     * The request. Evaluates the key at each call.
     *
     * @throws IllegalArgumentException if the call has no valid name
     */
    LockRequest request() {
        return prepared == null ? operation.request(target, arguments) : prepared;
    }

    @Nullable
    Object proceed() throws Throwable {
        return body.proceed();
    }

    /** The result or exception of the call if the lock is busy. */
    @Nullable
    Object insteadOfCall(LockNotAcquiredException busy) throws Throwable {
        return policy().insteadOfCall(target, arguments, busy);
    }

    @Nullable
    Object run() throws Throwable {
        return operation.adapter().invoke(this);
    }
}
