/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of one whose lock is busy.
 *
 * @param takesFailure whether its last parameter is the exception
 * @param bean whose method it is; null for the bean of the locked method, without its proxy
 * @param ofSuspending whether the locked method is a suspending function, which may have a suspending fallback
 */
record FallbackMethod(
        Method method, boolean takesFailure, @Nullable FallbackBean bean, boolean ofSuspending) implements Fallback {

    @Override
    public @Nullable Object call(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy)
            throws Throwable {
        @Nullable Object[] given = given(arguments, busy);
        Object receiver = bean == null ? innermost(target) : bean.get();
        Method callable = bean == null || receiver == null ? method : bean.callable(method, receiver);
        if (ofSuspending) {
            return Coroutines.publisherOf(callable, receiver, given, arguments[arguments.length - 1]);
        }
        try {
            ReflectionUtils.makeAccessible(callable);
            return callable.invoke(receiver, given);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    @Override
    public void requireOffered() {
        if (bean == null) {
            return;
        }
        Object proxy = bean.proxyOfInterfaces();
        if (proxy != null && FallbackBean.offered(method, proxy) == null) {
            throw bean.refuse(
                    "is a proxy of interfaces, and none of the interfaces has the method",
                    "Declare it in the interface, or set spring.aop.proxy-target-class=true.");
        }
        if (Modifier.isFinal(method.getModifiers()) && bean.isProxiedByClass()) {
            throw bean.refuse("has a proxy, which cannot override a final method", "Make it not final.");
        }
    }

    private @Nullable Object[] given(@Nullable Object[] arguments, LockNotAcquiredException busy) {
        int count = ofSuspending ? arguments.length - 1 : arguments.length;
        if (count == arguments.length && !takesFailure) {
            return arguments;
        }
        @Nullable Object[] given = Arrays.copyOf(arguments, takesFailure ? count + 1 : count);
        if (takesFailure) {
            given[count] = busy;
        }
        return given;
    }

    /**
     * The target may be another proxy that extends the class of the bean, and has none of its fields. One of interfaces
     * may have methods that nothing inside of it has, as that of a repository.
     */
    private @Nullable Object innermost(@Nullable Object target) {
        Object receiver = target;
        while (receiver != null && AopUtils.isCglibProxy(receiver)) {
            Object inside = AopProxyUtils.getSingletonTarget(receiver);
            if (!method.getDeclaringClass().isInstance(inside)) {
                break;
            }
            receiver = inside;
        }
        return receiver;
    }
}
