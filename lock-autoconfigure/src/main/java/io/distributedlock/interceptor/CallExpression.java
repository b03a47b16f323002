/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** An expression of an annotation that is evaluated for each call. */
record CallExpression(
        SpelExpression expression,
        ExpressionParameters parameters,
        LockedMethod where,
        StandardEvaluationContext shared) {

    @Nullable
    Object value(@Nullable Object target, @Nullable Object[] arguments) {
        LockEvaluationContext context = new LockEvaluationContext(
                new LockExpressionRootObject(where.method(), target, where.targetClass(), arguments), parameters);
        shared.applyDelegatesTo(context);
        return expression.getValue(context);
    }

    String text() {
        return expression.getExpressionString();
    }
}
