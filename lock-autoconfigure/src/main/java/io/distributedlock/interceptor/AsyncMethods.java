/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

/**
 * Distinguishes the methods with {@link Async}. The search in the hierarchy of each locked method is expensive, so a
 * class is first checked once for whether the annotation is anywhere in its hierarchy.
 */
final class AsyncMethods {

    private static final ClassValue<Boolean> IN_HIERARCHY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isInHierarchyOf(type);
        }
    };

    private static final ClassValue<Boolean> MEANS_ASYNC = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> annotation) {
            return annotation == Async.class || isAsync(annotation);
        }
    };

    private AsyncMethods() {}

    static boolean isAsync(LockedMethod where) {
        return IN_HIERARCHY.get(where.targetClass()) && (isAsync(where.method()) || isAsync(where.targetClass()));
    }

    private static boolean isInHierarchyOf(Class<?> type) {
        if (isOn(type)) {
            return true;
        }
        Class<?> superclass = type.getSuperclass();
        if (superclass != null && IN_HIERARCHY.get(superclass)) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (IN_HIERARCHY.get(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOn(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, Async.class)) {
            return false;
        }
        try {
            if (isAmongThoseOf(type)) {
                return true;
            }
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                if (isAmongThoseOf(method)) {
                    return true;
                }
            }
            return false;
        } catch (IllegalStateException | LinkageError ex) {
            // A class that it names is missing: then each method is searched by itself.
            return true;
        }
    }

    private static boolean isAmongThoseOf(AnnotatedElement element) {
        for (Annotation each : element.getDeclaredAnnotations()) {
            if (MEANS_ASYNC.get(each.annotationType())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAsync(AnnotatedElement element) {
        return AnnotatedElementUtils.hasAnnotation(element, Async.class);
    }
}
