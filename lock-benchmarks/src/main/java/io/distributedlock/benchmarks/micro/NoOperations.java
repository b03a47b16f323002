/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.micro;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Locks that are free at once and do nothing. Their proxies need no change when the interfaces change. */
final class NoOperations {

    private static final LockHandle HANDLE = implement(
            LockHandle.class,
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? Boolean.TRUE : null);

    static final LockOperations INSTANCE = implement(LockOperations.class, (proxy, method, arguments) -> {
        if (method.getName().equals("acquire")) {
            return HANDLE;
        }
        throw new UnsupportedOperationException(method.toString());
    });

    private NoOperations() {}

    private static <T> T implement(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
