/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs calls under the locks that their method's annotations name. Independent of proxies. */
class LockAspectSupport {

    private final LockOperationSource source;

    private final Supplier<LockOperations> locks;

    LockAspectSupport(LockOperationSource source, Supplier<LockOperations> locks) {
        this.source = source;
        this.locks = locks;
    }

    @Nullable
    Object invokeWithinLock(
            Method method,
            Class<?> targetClass,
            @Nullable Object target,
            @Nullable Object[] arguments,
            ReturnTypeAdapter.Body body)
            throws Throwable {
        List<LockOperation> operations = source.all(method, targetClass);
        if (operations.size() > 1) {
            return SeveralLocks.of(operations, locks, target, arguments).run(body);
        }
        if (operations.isEmpty() || !operations.get(0).isConditionMet(target, arguments)) {
            return body.proceed();
        }
        LockOperation operation = operations.get(0);
        ReturnTypeAdapter.Body locked = operation.handles().filledIn(arguments, body);
        return new LockedCall(operation, operation.locks(locks), null, target, arguments, locked).run();
    }
}
