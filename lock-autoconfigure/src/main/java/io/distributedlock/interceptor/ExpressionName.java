package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A lock name from a fixed prefix and the value of an expression. */
record ExpressionName(
        String prefix,
        SpelExpression expression,
        KeyParameters parameters,
        LockedMethod where,
        StandardEvaluationContext shared)
        implements LockName {

    private static final int LONGEST_REASON = 300;

    @Override
    public String of(@Nullable Object target, @Nullable Object[] arguments) {
        try {
            return requireLength(prefix + KeyText.of(expression.getValue(context(target, arguments))));
        } catch (RuntimeException ex) {
            throw new IllegalArgumentException(
                    "No lock name for %s: the key \"%s\" %s"
                            .formatted(where, expression.getExpressionString(), reason(ex)),
                    ex);
        }
    }

    private KeyContext context(@Nullable Object target, @Nullable Object[] arguments) {
        KeyContext context =
                new KeyContext(new KeyRoot(where.method(), target, where.targetClass(), arguments), parameters);
        shared.applyDelegatesTo(context);
        return context;
    }

    private static String requireLength(String name) {
        if (name.length() > LockRequest.MAX_NAME_LENGTH) {
            throw new IllegalArgumentException(
                    "makes a name of " + name.length() + " characters; the longest has " + LockRequest.MAX_NAME_LENGTH);
        }
        return name;
    }

    private static String reason(RuntimeException ex) {
        String text = ex.getClass() == IllegalArgumentException.class
                ? String.valueOf(ex.getMessage())
                : "cannot be evaluated: " + ex.getMessage();
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON) + "…";
    }
}
