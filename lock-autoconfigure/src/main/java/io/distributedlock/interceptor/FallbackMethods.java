/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the method that a fallback names: of the same bean, or as {@code bean::method}. */
final class FallbackMethods {

    private static final String HOW_TO_WRITE =
            "Give it the parameters of the locked method, and after them an Exception if it wants to know.";

    private final ConfigurableBeanFactory beanFactory;

    FallbackMethods(ConfigurableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * The method that the text names; null for one of the bean itself if its class is not known yet.
     *
     * @throws InvalidLockedMethodException if it does not exist or does not fit
     */
    @Nullable
    Fallback find(String text, LockedMethod where) {
        int colons = text.indexOf("::");
        if (colons < 0 && !LockedMethod.isClassOfBean(where.targetClass())) {
            return null;
        }
        if (colons < 0) {
            return find(text, text, where.owner(), null, where);
        }
        String bean = text.substring(0, colons);
        if (!beanFactory.containsBean(bean)) {
            throw refuse(text, where, "there is no bean '" + bean + "'", "Correct its name.");
        }
        Class<?> type = typeOf(bean, text, where);
        return find(text.substring(colons + 2), type, new FallbackBean(beanFactory, bean, text, where));
    }

    private static Fallback find(String name, Class<?> type, FallbackBean bean) {
        try {
            return find(bean.text(), name, type, bean, bean.where());
        } catch (InvalidLockedMethodException ex) {
            if (LockedMethod.isClassOfBean(type)) {
                throw ex;
            }
            return new LateFallback(bean, () -> find(bean.text(), name, bean.targetClass(), bean, bean.where()));
        }
    }

    /** The method of the target, since the methods of a proxy have lost their generic types. */
    private Class<?> typeOf(String bean, String text, LockedMethod where) {
        Class<?> type = beanFactory.getType(bean);
        if (type == null) {
            throw refuse(text, where, "the type of the bean '" + bean + "' is not known", "Declare its type.");
        }
        boolean created = Proxy.isProxyClass(type) && beanFactory.isSingleton(bean);
        return ClassUtils.getUserClass(created ? AopProxyUtils.ultimateTargetClass(beanFactory.getBean(bean)) : type);
    }

    private static FallbackMethod find(
            String text, String name, Class<?> type, @Nullable FallbackBean bean, LockedMethod where) {
        List<Method> named = methods(name, type, bean != null, where);
        if (named.isEmpty() && bean == null && SourceNames.isNamed(where.method(), name)) {
            throw LockedClassFilter.isAnnotated(where.method())
                    ? refuse(text, where, "the method is its own fallback", "Name another method.")
                    : refuse(
                            text,
                            where,
                            "it is its own fallback, as the annotation of its class applies to it as well",
                            "Make the fallback private, or add @DistributedLocked.None to it.");
        }
        if (named.isEmpty()) {
            throw bean == null
                    ? refuse(text, where, type.getName() + " has no other method " + name, "Correct its name.")
                    : refuse(
                            text,
                            where,
                            type.getName() + " has no method " + name + " that another bean may call",
                            "Correct its name, or make it not private.");
        }
        for (boolean takesFailure : new boolean[] {true, false}) {
            List<Method> fitting = named.stream()
                    .filter(method -> takesParameters(method, type, takesFailure, where))
                    .toList();
            if (!fitting.isEmpty()) {
                Method method = mostSpecific(fitting, type, text, where);
                requireResult(method, type, text, where);
                return new FallbackMethod(method, takesFailure, bean, ReturnTypeAdapters.isSuspending(where));
            }
        }
        throw refuse(text, where, "the parameters of " + type.getName() + "." + name + " do not fit", HOW_TO_WRITE);
    }

    /** A private method is excluded if it is called through a bean, which may be a proxy. */
    private static List<Method> methods(String name, Class<?> type, boolean throughBean, LockedMethod where) {
        List<Method> named = new ArrayList<>();
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            boolean reachable = !throughBean || !Modifier.isPrivate(method.getModifiers());
            if (reachable
                    && SourceNames.isNamed(method, name)
                    && !method.isBridge()
                    && !method.equals(where.method())) {
                named.add(method);
            }
        }
        return named;
    }

    private static boolean takesParameters(Method method, Class<?> type, boolean takesFailure, LockedMethod where) {
        int count = written(where.method());
        boolean cannotSuspend = ExpressionParameters.hidden(method) > ExpressionParameters.hidden(where.method());
        if (cannotSuspend || written(method) != (takesFailure ? count + 1 : count)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            Class<?> given = parameter(where.method(), i, where.targetClass());
            Class<?> taken = parameter(method, i, type);
            boolean failsForNull = taken.isPrimitive() && !given.isPrimitive();
            if (failsForNull || !ClassUtils.isAssignable(taken, given)) {
                return false;
            }
        }
        return !takesFailure || parameter(method, count, type).isAssignableFrom(LockNotAcquiredException.class);
    }

    /** The number of parameters in the source. */
    private static int written(Method method) {
        return method.getParameterCount() - ExpressionParameters.hidden(method);
    }

    /** As the compiler chooses among overloads: their order in the class file has no meaning. */
    private static Method mostSpecific(List<Method> fitting, Class<?> type, String text, LockedMethod where) {
        List<Method> best = fitting.stream()
                .filter(one -> fitting.stream().allMatch(other -> isAsSpecific(one, other, type)))
                .toList();
        // Several differ only in primitive types and their wrappers, or in value classes of Kotlin and their values.
        List<Method> same = best.size() == 1
                ? best
                : best.stream()
                        .filter(one -> hasSameParameters(one, type, where))
                        .toList();
        boolean takesValueClasses = SourceNames.hasHash(where.method());
        return same.stream()
                .filter(one -> SourceNames.hasHash(one) == takesValueClasses)
                .findFirst()
                .or(() -> same.stream().findFirst())
                .orElseThrow(() -> refuse(
                        text,
                        where,
                        "several methods " + type.getName() + "."
                                + fitting.get(0).getName() + " fit, and none is more specific than the others",
                        "Rename all but one."));
    }

    private static boolean isAsSpecific(Method one, Method other, Class<?> type) {
        for (int i = 0; i < written(one); i++) {
            if (!ClassUtils.isAssignable(parameter(other, i, type), parameter(one, i, type))) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasSameParameters(Method method, Class<?> type, LockedMethod where) {
        for (int i = 0; i < written(where.method()); i++) {
            if (parameter(method, i, type) != parameter(where.method(), i, where.targetClass())) {
                return false;
            }
        }
        return true;
    }

    private static Class<?> parameter(Method method, int index, Class<?> type) {
        return ResolvableType.forMethodParameter(new MethodParameter(method, index), ResolvableType.forClass(type))
                .toClass();
    }

    private static void requireResult(Method method, Class<?> type, String text, LockedMethod where) {
        Class<?> wanted = ReturnTypeAdapters.isSuspending(where)
                ? ReturnTypeAdapters.result(where.method(), where.targetClass()).resolve()
                : GenericTypeResolver.resolveReturnType(where.method(), where.targetClass());
        ResolvableType given = ReturnTypeAdapters.result(method, type);
        Class<?> raw = given.resolve();
        // The bean resolves the type variables of its interface.
        if (wanted == null || raw == null || ReturnTypeAdapters.isNone(wanted)) {
            return;
        }
        if (!ClassUtils.isAssignable(wanted, raw)) {
            throw otherResult(text, where, raw.getTypeName(), wanted.getTypeName());
        }
        ResolvableType generic = ReturnTypeAdapters.result(where.method(), where.targetClass());
        if (hasOtherContent(generic, given.as(wanted))) {
            throw otherResult(text, where, given.toString(), generic.toString());
        }
    }

    /** Whether a part of the type, as the value of a future, can never be what the other one promises. */
    private static boolean hasOtherContent(ResolvableType wanted, ResolvableType given) {
        for (int i = 0; i < wanted.getGenerics().length; i++) {
            Class<?> one = wanted.getGeneric(i).resolve();
            Class<?> other = given.getGeneric(i).resolve();
            if (one != null && other != null && !one.isAssignableFrom(other) && !other.isAssignableFrom(one)) {
                return true;
            }
        }
        return false;
    }

    private static InvalidLockedMethodException otherResult(
            String text, LockedMethod where, String given, String wanted) {
        return refuse(
                text,
                where,
                "it returns " + given + ", and the locked method " + wanted,
                "Let both return the same type.");
    }

    private static InvalidLockedMethodException refuse(String text, LockedMethod where, String problem, String action) {
        return where.refuse("fallback", text, problem, action, null);
    }
}
