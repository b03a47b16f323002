/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * An expression of an annotation that is evaluated for each call.
 *
 * @param argument the position of the argument if the expression is nothing but a parameter, or null
 */
record CallExpression(
        SpelExpression expression,
        ExpressionParameters parameters,
        LockedMethod where,
        StandardEvaluationContext shared,
        @Nullable Integer argument) {

    static CallExpression of(
            SpelExpression expression,
            ExpressionParameters parameters,
            LockedMethod where,
            StandardEvaluationContext shared) {
        return new CallExpression(expression, parameters, where, shared, argumentOf(expression.getAST(), parameters));
    }

    private static @Nullable Integer argumentOf(SpelNode ast, ExpressionParameters parameters) {
        String name = ast instanceof VariableReference ? ast.toStringAST().substring(1) : "";
        return name.equals("root") || name.equals("this") ? null : parameters.positionOf(name);
    }

    /** Whether the value is the same for every call, as that of a text in quotes. */
    boolean isConstant() {
        SpelNode ast = expression.getAST();
        return ast instanceof Literal || (ast instanceof InlineList list && list.isConstant());
    }

    @Nullable
    Object value(@Nullable Object target, @Nullable Object[] arguments) {
        if (argument != null) {
            return arguments[argument];
        }
        LockEvaluationContext context = new LockEvaluationContext(
                new LockExpressionRootObject(
                        where.method(), target, where.targetClass(), parameters.written(arguments)),
                parameters);
        shared.applyDelegatesTo(context);
        return expression.getValue(context);
    }

    String text() {
        return expression.getExpressionString();
    }
}
