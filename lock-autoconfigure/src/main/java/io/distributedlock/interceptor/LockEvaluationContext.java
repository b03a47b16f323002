/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.nio.Buffer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/** One call, for its key expression. Finds arguments by position, so that unused ones are not copied. */
final class LockEvaluationContext extends StandardEvaluationContext {

    private final ExpressionParameters parameters;

    private final @Nullable Object[] arguments;

    LockEvaluationContext(LockExpressionRootObject root, ExpressionParameters parameters) {
        super(root);
        this.parameters = parameters;
        this.arguments = root.args();
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer position = parameters.positionOf(name);
        return position == null ? super.lookupVariable(name) : arguments[position];
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    /** Refuses objects without a text of their own in the text of a key: {@code 'order:' + #order}. */
    static final class TextConverter implements TypeConverter {

        private final TypeConverter delegate = new StandardTypeConverter();

        @Override
        public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
            return target.getType() == String.class || delegate.canConvert(source, target);
        }

        @Override
        public @Nullable Object convertValue(
                @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
            if (value == null || target.getType() != String.class) {
                return delegate.convertValue(value, source, target);
            }
            Object content = LockKeyConverter.contentOf(value);
            if (content == null) {
                throw new IllegalArgumentException("contains an empty Optional or AtomicReference");
            }
            LockKeyConverter.refuseInside(content);
            if (content instanceof Record || content instanceof Buffer) {
                return LockKeyConverter.textOf(content);
            }
            Object stable = StableText.of(content);
            return stable == value
                    ? textOf(value, source, target)
                    : textOf(stable, TypeDescriptor.forObject(stable), target);
        }

        private @Nullable Object textOf(Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
            if (!delegate.canConvert(source, target) || LockKeyConverter.canonical(value) != null) {
                return LockKeyConverter.textOf(value);
            }
            try {
                return LockKeyConverter.requireOwn((String) delegate.convertValue(value, source, target), value);
            } catch (SpelEvaluationException ex) {
                return LockKeyConverter.textOf(value);
            }
        }
    }
}
