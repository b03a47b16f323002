/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * A method in the target class that it is locked for. Knows what both are called, in names of locks and in messages.
 *
 * @param method the most specific method
 * @param declared where else parameters may have got their names: the annotated or the invoked method, often the same
 * @param targetClass the class of the bean
 */
record LockedMethod(Method method, Method declared, Class<?> targetClass) {

    /** What is locked if the annotation names no key. The same text in every instance and every start. */
    String asKey() {
        return owner().getName() + "." + signature(Class::getTypeName, ",");
    }

    /** As {@code Class.method}, which metrics have for it. */
    String shortName() {
        String simple = owner().getSimpleName();
        return (simple.isEmpty() ? owner().getName() : simple) + "." + method.getName();
    }

    LockedMethod declaredBy(Method source) {
        return new LockedMethod(method, source, targetClass);
    }

    InvalidLockedMethodException refuse(String problem, String action) {
        return new InvalidLockedMethodException("@DistributedLocked on " + this + ": " + problem + ".", action, null);
    }

    InvalidLockedMethodException refuse(
            String attribute, String value, String problem, String action, @Nullable Throwable cause) {
        String description = "@DistributedLocked(%s = \"%s\") on %s: %s.".formatted(attribute, value, this, problem);
        return new InvalidLockedMethodException(description, action, cause);
    }

    @Override
    public String toString() {
        return owner().getName() + "#" + signature(Class::getSimpleName, ", ");
    }

    private String signature(Function<Class<?>, String> typeName, String separator) {
        return Arrays.stream(method.getParameterTypes())
                .map(typeName)
                .collect(Collectors.joining(separator, method.getName() + "(", ")"));
    }

    private Class<?> owner() {
        return isGenerated(targetClass) ? method.getDeclaringClass() : targetClass;
    }

    /** Whether a class is made at run time, so that its name means nothing and its methods are those of interfaces. */
    static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden() || ClassUtils.isLambdaClass(type);
    }
}
