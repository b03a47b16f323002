/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The object {@code #root} in a key expression. */
@SuppressWarnings("ArrayRecordComponent") // Not compared.
record LockExpressionRootObject(
        Method method,
        @Nullable Object target,
        Class<?> targetClass,
        @Nullable Object[] args) {

    static final Set<String> PROPERTIES = Set.of("method", "target", "targetClass", "args");
}
