/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * The bean that a fallback names, with its proxy. It may be in a parent context.
 *
 * @param text the text of the annotation
 * @param where the annotated method
 */
record FallbackBean(ConfigurableBeanFactory beanFactory, String name, String text, LockedMethod where) {

    Object get() {
        return beanFactory.getBean(name);
    }

    /** The class of the bean behind its proxies. */
    Class<?> targetClass() {
        return ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(get()));
    }

    /** Whether a bean of which no class was known exists by now. Not known of the product of a factory bean. */
    boolean isCreated() {
        Class<?> type = beanFactory.isSingleton(name) ? beanFactory.getType(name) : null;
        return type != null && LockedMethod.isClassOfBean(type);
    }

    InvalidLockedMethodException refuse(String problem, String action) {
        return where.refuse("fallback", text, "the bean '" + name + "' " + problem, action, null);
    }

    /** The proxy, if it exists by now and has only the methods of its interfaces; otherwise null. */
    @Nullable
    Object proxyOfInterfaces() {
        Class<?> type = beanFactory.isSingleton(name) ? beanFactory.getType(name) : null;
        return type != null && Proxy.isProxyClass(type) ? get() : null;
    }

    /** Whether the bean exists by now, and has a proxy that extends its class. */
    boolean isProxiedByClass() {
        Class<?> type = beanFactory.isSingleton(name) ? beanFactory.getType(name) : null;
        return type != null && SpringProxy.class.isAssignableFrom(type) && !Proxy.isProxyClass(type);
    }

    /** The method through which the bean is called. */
    Method callable(Method method, Object bean) {
        if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean)) {
            throw new IllegalStateException(
                    "The bean '" + name + "' has a proxy, which cannot override the final method " + method.getName()
                            + ", the fallback of a locked method");
        }
        Method offered = Proxy.isProxyClass(bean.getClass()) ? offered(method, bean) : method;
        if (offered == null) {
            throw new IllegalStateException("The bean '" + name + "' is a proxy of interfaces, and none of them has the"
                    + " method " + method.getName() + ", which is the fallback of a locked method");
        }
        return offered;
    }

    /**
     * The method of the interfaces of a proxy that corresponds to a method that its target has, be it by inheritance.
     */
    static @Nullable Method offered(Method method, Object proxy) {
        if (method.getDeclaringClass().isInstance(proxy)) {
            return method;
        }
        Class<?> target = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(proxy));
        for (Class<?> type : proxy.getClass().getInterfaces()) {
            for (Method candidate : type.getMethods()) {
                if (candidate.getName().equals(method.getName())
                        && AopUtils.getMostSpecificMethod(candidate, target).equals(method)) {
                    return candidate;
                }
            }
        }
        return null;
    }
}
