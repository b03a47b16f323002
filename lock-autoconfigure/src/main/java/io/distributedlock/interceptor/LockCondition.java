/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/** Whether a call is locked at all. */
record LockCondition(CallExpression expression) {

    /** @throws IllegalArgumentException if the expression fails, or is neither true nor false */
    boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
        Object value;
        try {
            value = expression.value(target, arguments);
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException(problem() + " cannot be evaluated: " + ex.getMessage(), ex);
        }
        if (value instanceof Boolean decided) {
            return decided;
        }
        throw new IllegalArgumentException(problem() + " must be true or false, but is "
                + (value == null ? "null" : "of type " + value.getClass().getName()));
    }

    private String problem() {
        return "The condition \"" + expression.text() + "\" of " + expression.where();
    }
}
