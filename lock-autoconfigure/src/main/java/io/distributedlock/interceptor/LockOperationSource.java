/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What is known of each method in each target class, including that it is not locked. What is nearest to the target
 * counts: its method, its class, then the method of the interface, and the interface. A class stands for the methods
 * that it inherits, too.
 */
final class LockOperationSource {

    private final Map<MethodClassKey, List<LockOperation>> operations = new ConcurrentHashMap<>();

    private final LockAnnotationParser parser;

    LockOperationSource(LockAnnotationParser parser) {
        this.parser = parser;
    }

    /**
     * The first operation of a method, or null if it is not locked.
     *
     * @throws InvalidLockedMethodException if its annotation cannot be followed
     */
    @Nullable
    LockOperation get(Method method, Class<?> targetClass) {
        List<LockOperation> all = all(method, targetClass);
        return all.isEmpty() ? null : all.get(0);
    }

    /**
     * The operations of a method, one for each annotation that counts; empty if it is not locked.
     *
     * @throws InvalidLockedMethodException if an annotation cannot be followed
     */
    List<LockOperation> all(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        List<LockOperation> known = operations.get(key);
        if (known == null) {
            known = ofTarget(method, ClassUtils.getUserClass(targetClass));
            operations.put(key, known);
        }
        return known;
    }

    /** Whether one of the methods that were looked at so far uses other locks than those that its annotation names. */
    boolean needsDefaultLocks() {
        return operations.values().stream().flatMap(List::stream).anyMatch(each -> each.operations() == null);
    }

    /**
     * Looks at the fallbacks of other beans, which are there by now.
     *
     * @throws InvalidLockedMethodException if the proxy of a bean does not have the method
     */
    void requireFallbacks() {
        operations.values().stream()
                .flatMap(List::stream)
                .map(each -> each.policy().fallback())
                .filter(Objects::nonNull)
                .forEach(FallbackMethods::requireOffered);
    }

    /** The same for a method of an interface and for that of the target, so that the start finds it for both. */
    private List<LockOperation> ofTarget(Method method, Class<?> targetClass) {
        Method specific = LockedMethod.isGenerated(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, targetClass);
        MethodClassKey key = new MethodClassKey(specific, targetClass);
        List<LockOperation> known = operations.get(key);
        if (known == null) {
            known = compute(specific, targetClass);
            operations.put(key, known);
        }
        return known;
    }

    private List<LockOperation> compute(Method specific, Class<?> targetClass) {
        if (Modifier.isPrivate(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())) {
            return List.of();
        }
        Method declared = ClassUtils.getInterfaceMethodIfPossible(specific, targetClass);
        LockedMethod where = new LockedMethod(specific, declared, targetClass);
        try {
            return find(specific, declared, targetClass).annotations().stream()
                    .map(found -> parse(found, where))
                    .toList();
        } catch (AnnotationConfigurationException ex) {
            throw where.refuse(String.valueOf(ex.getMessage()), "Correct the attributes of the annotation.");
        }
    }

    private LockOperation parse(MergedAnnotation<DistributedLocked> found, LockedMethod where) {
        return parser.parse(
                found.synthesize(), found.getSource() instanceof Method source ? where.declaredBy(source) : where);
    }

    private static FoundAnnotations find(Method specific, Method declared, Class<?> targetClass) {
        Class<?> type = LockedMethod.isGenerated(targetClass) ? annotatedInterface(specific, targetClass) : targetClass;
        return Stream.<Supplier<FoundAnnotations>>of(
                        () -> FoundAnnotations.on(specific, SearchStrategy.SUPERCLASS),
                        () -> onClass(specific, type, SearchStrategy.SUPERCLASS),
                        () -> FoundAnnotations.on(specific, SearchStrategy.TYPE_HIERARCHY),
                        () -> FoundAnnotations.on(declared, SearchStrategy.TYPE_HIERARCHY),
                        () -> onClass(specific, type, SearchStrategy.TYPE_HIERARCHY))
                .map(Supplier::get)
                .filter(FoundAnnotations::decide)
                .findFirst()
                .orElseGet(() -> onClass(declared, declared.getDeclaringClass(), SearchStrategy.TYPE_HIERARCHY));
    }

    private static FoundAnnotations onClass(Method method, Class<?> type, SearchStrategy strategy) {
        return isOfClass(method) ? FoundAnnotations.on(type, strategy) : FoundAnnotations.NOTHING;
    }

    /** The interface of a generated class that is annotated and has the method, be it by inheritance. */
    private static Class<?> annotatedInterface(Method method, Class<?> generated) {
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(generated)) {
            if (method.getDeclaringClass().isAssignableFrom(type)
                    && FoundAnnotations.on(type, SearchStrategy.TYPE_HIERARCHY).decide()) {
                return type;
            }
        }
        return method.getDeclaringClass();
    }

    /** Whether an annotation on the class means this method: not {@code toString()}, nor what a compiler has added. */
    private static boolean isOfClass(Method method) {
        return ClassUtils.isUserLevelMethod(method) && !ReflectionUtils.isObjectMethod(method);
    }
}
