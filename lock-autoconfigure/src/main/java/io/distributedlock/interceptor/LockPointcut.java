/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Selects the locked methods, and never those of the classes that implement locking. */
final class LockPointcut extends StaticMethodMatcherPointcut {

    private final LockOperationSource source;

    LockPointcut(LockOperationSource source, LockedClassFilter types) {
        this.source = source;
        setClassFilter(new TypeFilter(types));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return source.get(method, targetClass) != null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof LockPointcut that && source == that.source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    @Override
    public String toString() {
        return "methods with @DistributedLocked";
    }

    /** Called for each bean before its methods are matched. */
    private record TypeFilter(LockedClassFilter types) implements ClassFilter {

        @Override
        public boolean matches(Class<?> type) {
            return types.contains(type);
        }

        @Override
        public String toString() {
            return "classes with @DistributedLocked";
        }
    }
}
