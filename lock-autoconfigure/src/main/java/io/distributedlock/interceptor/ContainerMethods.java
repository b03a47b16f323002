/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.core.Ordered;

/**
 * The methods by which the container manages a bean. It calls them before there are any locks, even while it searches
 * for them.
 */
final class ContainerMethods {

    private static final Set<Class<?>> MANAGING = Set.of(
            FactoryBean.class,
            Lifecycle.class,
            Phased.class,
            Ordered.class,
            Aware.class,
            InitializingBean.class,
            DisposableBean.class);

    private ContainerMethods() {}

    /** Whether the method of that type implements one of them. */
    static boolean contain(Method method, Class<?> type) {
        Set<Class<?>> managing = new LinkedHashSet<>();
        collect(type, managing);
        return managing.stream()
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .anyMatch(each -> each.getName().equals(method.getName())
                        && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    /** Collects the interfaces of the container that the type has, and those that extend them. */
    private static void collect(Class<?> type, Set<Class<?>> found) {
        if (MANAGING.stream().noneMatch(each -> each.isAssignableFrom(type))) {
            return;
        }
        if (type.isInterface() && isOfSpring(type)) {
            found.add(type);
        }
        for (Class<?> each : type.getInterfaces()) {
            collect(each, found);
        }
        if (type.getSuperclass() != null) {
            collect(type.getSuperclass(), found);
        }
    }

    private static boolean isOfSpring(Class<?> type) {
        return type.getName().startsWith("org.springframework.");
    }
}
