/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method, for the adapter of its return type.
 *
 * @param parts for each annotation whose condition is met, at least one
 * @param policy of the call as a whole
 * @param body the rest of the call
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
record LockedCall(
        List<Part> parts,
        CallPolicy policy,
        @Nullable Object target,
        @Nullable Object[] arguments,
        ReturnTypeAdapter.Body body) {

    /**
     * One annotation.
     *
     * @param locks the locks to use
     */
    record Part(LockOperation operation, LockOperations locks) {

        static Part of(LockOperation operation, Supplier<LockOperations> byDefault) {
            return new Part(operation, operation.locks(byDefault));
        }

        /** Distinguishes locks of the same name in several servers. */
        String place() {
            LockOperation.Locks named = operation.operations();
            return named == null ? "" : named.bean();
        }
    }

    static LockedCall of(
            List<Part> parts, @Nullable Object target, @Nullable Object[] arguments, ReturnTypeAdapter.Body body) {
        LockOperation first = parts.get(0).operation();
        CallPolicy policy = parts.size() == 1
                ? first.policy()
                : CallPolicy.ofAll(
                        parts.stream().map(part -> part.operation().policy()).toList());
        return new LockedCall(parts, policy, target, arguments, first.handles().filledIn(arguments, body));
    }

    /**
     * The locks of the call. Evaluates the keys at each call.
     *
     * @throws IllegalArgumentException if the call has no valid name
     */
    CallLocks wanted() {
        if (parts.size() > 1) {
            return MultiLock.of(parts, target, arguments);
        }
        Part only = parts.get(0);
        return new SingleLock(only.locks(), only.operation().request(target, arguments));
    }

    @Nullable
    Object proceed() throws Throwable {
        return body.proceed();
    }

    /** The result or exception of the call if a lock is busy. */
    @Nullable
    Object insteadOfCall(LockNotAcquiredException busy) throws Throwable {
        return busy instanceof MultiLockBusyException one
                ? one.policy().insteadOfCall(target, arguments, one.busy())
                : policy.insteadOfCall(target, arguments, busy);
    }

    /** Whether the call is skipped since this lock is busy. */
    boolean skips(LockNotAcquiredException busy) {
        return busy instanceof MultiLockBusyException one ? one.policy().skips() : policy.skips();
    }

    @Nullable
    Object run() throws Throwable {
        return parts.get(0).operation().adapter().invoke(this);
    }
}
