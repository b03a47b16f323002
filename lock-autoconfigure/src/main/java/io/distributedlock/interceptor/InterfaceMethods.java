/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * The methods of interfaces that a method of a class implements. Those of a generic interface have other parameter
 * types, and a method that is inherited may implement an interface that its own class does not have.
 */
final class InterfaceMethods {

    private InterfaceMethods() {}

    static List<Method> implementedBy(Method method, Class<?> targetClass) {
        List<Method> found = new ArrayList<>();
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
            for (Method candidate : type.getMethods()) {
                if (candidate.getName().equals(method.getName())
                        && candidate.getParameterCount() == method.getParameterCount()
                        && AopUtils.getMostSpecificMethod(candidate, targetClass)
                                .equals(method)) {
                    found.add(candidate);
                }
            }
        }
        return found;
    }
}
