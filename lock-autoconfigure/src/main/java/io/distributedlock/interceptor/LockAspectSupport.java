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
        List<LockedCall.Part> parts = operations.size() == 1
                ? ofOne(operations.get(0), target, arguments)
                : ofSeveral(operations, target, arguments);
        return parts.isEmpty()
                ? body.proceed()
                : LockedCall.of(parts, target, arguments, body).run();
    }

    private List<LockedCall.Part> ofOne(
            LockOperation operation, @Nullable Object target, @Nullable Object[] arguments) {
        return operation.isConditionMet(target, arguments) ? List.of(LockedCall.Part.of(operation, locks)) : List.of();
    }

    private List<LockedCall.Part> ofSeveral(
            List<LockOperation> operations, @Nullable Object target, @Nullable Object[] arguments) {
        return operations.stream()
                .filter(operation -> operation.isConditionMet(target, arguments))
                .map(operation -> LockedCall.Part.of(operation, locks))
                .toList();
    }
}
