/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lock names from a fixed prefix and the value of an expression. */
record ExpressionLockNameResolver(String prefix, CallExpression expression) implements LockNameResolver {

    @Override
    public List<String> all(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            return KeyValues.names(prefix, expression.value(target, arguments));
        } catch (RuntimeException ex) {
            throw LockNameResolver.none(expression.where(), "\"" + expression.text() + "\"", ex);
        }
    }
}
