/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Registers for a native image the types and methods that the annotations of a bean reach by reflection: parameters and
 * beans that expressions read, and methods that a fallback may name. Methods that no proxy could lock fail the build.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

    private final LockedClassFilter filter = new LockedClassFilter();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        if (!filter.contains(type)) {
            return null;
        }
        List<Method> methods = new ArrayList<>(MethodIntrospector.selectMethods(type, (MethodFilter) method -> true));
        methods.forEach(method -> LockedClassInspector.requireReachable(method, type));
        return (context, code) -> {
            RuntimeHints hints = context.getRuntimeHints();
            register(methods, hints);
            NamedBeanHints ofBeans = new NamedBeanHints(bean.getBeanFactory(), hints.reflection());
            ofBeans.register(type);
            methods.forEach(ofBeans::register);
        };
    }

    private static void register(List<Method> methods, RuntimeHints hints) {
        for (Method method : methods) {
            hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
            for (Class<?> parameter : method.getParameterTypes()) {
                hints.reflection()
                        .registerType(
                                parameter, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
            }
        }
    }
}
