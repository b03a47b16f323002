/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import java.lang.reflect.TypeVariable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The parameters of type {@link LockHandle}: where the caller has passed null, the method gets the handle of its lock.
 */
final class HandleParameters {

    private static final HandleParameters NONE = new HandleParameters(new int[0]);

    private final int[] positions;

    private HandleParameters(int[] positions) {
        this.positions = positions;
    }

    static HandleParameters of(LockedMethod where) {
        int[] positions = IntStream.range(0, where.method().getParameterCount())
                .filter(i -> typeOf(where, i) == LockHandle.class)
                .toArray();
        return positions.length == 0 ? NONE : new HandleParameters(positions);
    }

    /** For a type variable, what the class of the bean has for it. */
    private static @Nullable Class<?> typeOf(LockedMethod where, int position) {
        Class<?> raw = where.method().getParameterTypes()[position];
        return where.method().getGenericParameterTypes()[position] instanceof TypeVariable<?>
                ? ResolvableType.forMethodParameter(where.method(), position, where.targetClass())
                        .resolve(raw)
                : raw;
    }

    /**
     * Fills them in just before the body is run, each time in a copy of the arguments: calls may run at the same time.
     */
    ReturnTypeAdapter.Body filledIn(@Nullable Object[] arguments, ReturnTypeAdapter.Body body) {
        if (positions.length == 0) {
            return body;
        }
        int[] empty = IntStream.of(positions).filter(i -> arguments[i] == null).toArray();
        if (empty.length == 0) {
            return body;
        }
        return new FilledIn(empty, arguments, body);
    }

    @SuppressWarnings("ArrayRecordComponent") // Not compared.
    private record FilledIn(int[] positions, @Nullable Object[] arguments, ReturnTypeAdapter.Body body)
            implements ReturnTypeAdapter.Body {

        @Override
        public @Nullable Object proceed() throws Throwable {
            LockHandle handle = LockHandle.current().orElse(null);
            @Nullable Object[] filled = arguments.clone();
            for (int position : positions) {
                filled[position] = handle;
            }
            return body.proceedWith(filled);
        }

        @Override
        public ReturnTypeAdapter.Body repeatable() {
            return new FilledIn(positions, arguments.clone(), body);
        }
    }
}
