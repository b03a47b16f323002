/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockKeyGenerator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lock names from a fixed prefix and the key that a bean of the application generates for the call. */
record GeneratorLockNameResolver(String prefix, String bean, Supplier<LockKeyGenerator> generator, LockedMethod where)
        implements LockNameResolver {

    @Override
    public List<String> all(@Nullable Object target, @Nullable Object[] arguments) {
        Object key = generator
                .get()
                .generate(target, where.method(), ExpressionParameters.written(where.method(), arguments));
        try {
            return KeyValues.names(prefix, key);
        } catch (RuntimeException ex) {
            throw LockNameResolver.none(where, "of the generator '" + bean + "'", ex);
        }
    }
}
