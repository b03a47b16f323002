/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.util.ClassUtils;

/**
 * A locked method in its target class, with the names of both for locks and messages.
 *
 * @param method the most specific method
 * @param declared another source of parameter names: the annotated or the invoked method, often the same
 * @param targetClass the class of the bean
 * @param ownNamesFirst whether the annotation means the parameters of the most specific method
 */
record LockedMethod(Method method, Method declared, Class<?> targetClass, boolean ownNamesFirst) {

    LockedMethod(Method method, Method declared, Class<?> targetClass) {
        this(method, declared, targetClass, false);
    }

    /** The lock name if the annotation has no key. The same text in every instance and every start. */
    String asKey() {
        return owner().getName() + "." + signature(Class::getTypeName, ",");
    }

    /** The label for metrics, {@code Class.method}. */
    String shortName() {
        String simple = owner().getSimpleName();
        return (simple.isEmpty() ? owner().getName() : simple) + "." + SourceNames.of(method);
    }

    /** This method for an annotation on that element, whose author knows the parameter names there. */
    LockedMethod annotatedOn(@Nullable Object source) {
        if (source instanceof Method annotated) {
            return new LockedMethod(method, annotated, targetClass);
        }
        boolean ofClass = source instanceof Class<?> type && !type.isInterface();
        return ofClass ? new LockedMethod(method, declared, targetClass, true) : this;
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
        StringJoiner signature = new StringJoiner(separator, method.getName() + "(", ")");
        for (Class<?> type : method.getParameterTypes()) {
            signature.add(typeName.apply(type));
        }
        return signature.toString();
    }

    /** The class of the bean; of a generated one, its first interface that has the method, be it by inheritance. */
    Class<?> owner() {
        if (!isGenerated(targetClass)) {
            return targetClass;
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClass(targetClass)) {
            if (method.getDeclaringClass().isAssignableFrom(each)) {
                return each;
            }
        }
        return method.getDeclaringClass();
    }

    /**
     * Whether the class of a bean is known, rather than an interface or a superclass of it, which is all that a
     * definition may tell before the bean is created. The class can have more methods, and narrower results. For an
     * abstract class with {@code @Lookup} methods, Spring generates a subclass that adds nothing else.
     */
    static boolean isClassOfBean(Class<?> type) {
        return !Modifier.isAbstract(type.getModifiers()) || hasLookUp(type);
    }

    private static boolean hasLookUp(Class<?> type) {
        for (Class<?> each = type; each != null && !each.isInterface(); each = each.getSuperclass()) {
            if (Arrays.stream(each.getDeclaredMethods()).anyMatch(method -> method.isAnnotationPresent(Lookup.class))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a class is generated at run time, so that its name has no meaning and its methods are those of
     * interfaces.
     */
    static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden() || ClassUtils.isLambdaClass(type);
    }
}
