/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.logging.SafeLog;
import java.lang.reflect.AnnotatedElement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Distinguishes the few classes with locked methods from all others. Every bean is checked, and the search for a
 * method's annotation in its whole hierarchy is expensive; so each class and interface is first checked once, by
 * itself.
 */
final class LockedClassFilter {

    private static final Log log = SafeLog.of(LockedClassFilter.class);

    private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

    /** Whether the class or what it inherits from has the annotation anywhere. Never so for the locks themselves. */
    boolean contains(Class<?> type) {
        return !LockOperations.class.isAssignableFrom(type) && isInHierarchyOf(type);
    }

    private boolean isInHierarchyOf(@Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        Boolean cached = known.get(type);
        if (cached == null) {
            cached = AnnotationUtils.isCandidateClass(type, DistributedLocked.class)
                    && (isOn(type) || isInHierarchyOf(type.getSuperclass()) || isOnInterfaceOf(type));
            known.put(type, cached);
        }
        return cached;
    }

    private boolean isOnInterfaceOf(Class<?> type) {
        for (Class<?> each : type.getInterfaces()) {
            if (isInHierarchyOf(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOn(Class<?> type) {
        boolean[] found = {false};
        try {
            found[0] = isAnnotated(type);
            ReflectionUtils.doWithLocalMethods(type, method -> found[0] = found[0] || isAnnotated(method));
            return found[0];
        } catch (IllegalStateException | LinkageError ex) {
            log.debug("Cannot look into " + type.getName() + ", as a class that it names is missing", ex);
            return found[0];
        }
    }

    static boolean isAnnotated(AnnotatedElement element) {
        return element.getDeclaredAnnotation(DistributedLocked.class) != null
                || MergedAnnotations.from(element).isPresent(DistributedLocked.class);
    }
}
