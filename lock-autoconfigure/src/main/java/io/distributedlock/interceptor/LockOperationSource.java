/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.logging.SafeLog;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * The operations of each method in each target class, including methods without any. The order of the search is that of
 * {@code @Transactional}: the method of the target with those that it overrides or implements, its class with all that
 * this extends or implements, then the method of an interface that only the class of the bean has, and that interface.
 * Unlike there, an annotation on a class includes the methods that it inherits.
 */
final class LockOperationSource {

    private static final Log log = SafeLog.of(LockOperationSource.class);

    private final Map<MethodClassKey, List<LockOperation>> operations = new ConcurrentHashMap<>();

    private final LockAnnotationParser parser;

    LockOperationSource(LockAnnotationParser parser) {
        this.parser = parser;
    }

    /**
     * The first operation of a method, or null if it is not locked.
     *
     * @throws InvalidLockedMethodException if its annotation cannot be applied
     */
    @Nullable
    LockOperation get(Method method, Class<?> targetClass) {
        List<LockOperation> all = all(method, targetClass);
        return all.isEmpty() ? null : all.get(0);
    }

    /**
     * The operations of a method, one for each annotation that applies; empty if it is not locked.
     *
     * @throws InvalidLockedMethodException if an annotation cannot be applied
     */
    List<LockOperation> all(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        List<LockOperation> known = operations.get(key);
        if (known == null) {
            known = ofTarget(method, ClassUtils.getUserClass(targetClass), key);
        }
        return known;
    }

    /** Whether one of the methods that were parsed so far uses other locks than those that its annotation names. */
    boolean needsDefaultLocks() {
        return operations.values().stream().flatMap(List::stream).anyMatch(each -> each.operations() == null);
    }

    /**
     * Checks the fallbacks of other beans, which exist by now.
     *
     * @throws InvalidLockedMethodException if a bean or its proxy does not have the method
     */
    void requireFallbacks() {
        operations.values().stream()
                .flatMap(List::stream)
                .map(each -> each.policy().fallback())
                .filter(Objects::nonNull)
                .forEach(Fallback::requireOffered);
    }

    /** The same for a method of an interface and for that of the target, so that the start caches it for both. */
    private List<LockOperation> ofTarget(Method method, Class<?> targetClass, MethodClassKey requested) {
        Method specific = LockedMethod.isGenerated(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, targetClass);
        MethodClassKey key = new MethodClassKey(specific, targetClass);
        List<LockOperation> known = operations.get(key);
        if (known == null) {
            known = compute(specific, targetClass);
            operations.put(key, known);
        }
        if (!requested.equals(key)) {
            operations.put(requested, known);
        }
        return known;
    }

    private List<LockOperation> compute(Method specific, Class<?> targetClass) {
        if (Modifier.isPrivate(specific.getModifiers()) || Modifier.isStatic(specific.getModifiers())) {
            return List.of();
        }
        try {
            Method declared = declaredFor(specific, targetClass);
            LockedMethod where = new LockedMethod(specific, declared, targetClass);
            List<FoundAnnotation> found = find(specific, declared, targetClass).annotations();
            List<LockOperation> parsed = found.size() == 1
                    ? List.of(parse(found.get(0), where))
                    : found.stream().map(each -> parse(each, where)).toList();
            log(found, where);
            return parsed;
        } catch (AnnotationConfigurationException ex) {
            String problem = StringUtils.trimTrailingCharacter(String.valueOf(ex.getMessage()), '.');
            throw new LockedMethod(specific, specific, targetClass)
                    .refuse(problem, "Correct the attributes of the annotation.");
        }
    }

    /** Not for an interface or an abstract class: the method is searched again in the class of the bean. */
    private static void log(List<FoundAnnotation> found, LockedMethod where) {
        if (log.isDebugEnabled() && !found.isEmpty() && LockedMethod.isClassOfBean(where.targetClass())) {
            String annotations = found.stream()
                    .map(each -> AnnotationUtils.synthesizeAnnotation(
                            each.attributes().annotation(), null))
                    .map(String::valueOf)
                    .collect(Collectors.joining(", "));
            log.debug("Calls of " + where + " are locked: " + annotations);
        }
    }

    /** The search from an inherited method does not find the interfaces that only the class of the bean has. */
    private static Method declaredFor(Method specific, Class<?> targetClass) {
        if (specific.getDeclaringClass() != targetClass
                && !specific.getDeclaringClass().isInterface()) {
            for (Method candidate : InterfaceMethods.implementedBy(specific, targetClass)) {
                if (inHierarchyOf(candidate).areDecisive()) {
                    return candidate;
                }
            }
        }
        return ClassUtils.getInterfaceMethodIfPossible(specific, targetClass);
    }

    private LockOperation parse(FoundAnnotation found, LockedMethod where) {
        return parser.parse(found.attributes(), where.annotatedOn(found.source()));
    }

    private static FoundAnnotations find(Method specific, Method declared, Class<?> targetClass) {
        FoundAnnotations own = inHierarchyOf(specific);
        if (!isCoveredByClass(specific, targetClass)) {
            return own.or(() -> inHierarchyOf(declared));
        }
        Class<?> type = LockedMethod.isGenerated(targetClass) ? annotatedInterface(specific, targetClass) : targetClass;
        return own.or(() -> onDeclaringClass(specific, type))
                .or(() -> inHierarchyOf(declared))
                .or(() -> inHierarchyOf(type))
                .or(() -> inHierarchyOf(declared.getDeclaringClass()));
    }

    /** If the class that declares the method is annotated: its annotation, or that of a subclass, which replaces it. */
    private static FoundAnnotations onDeclaringClass(Method method, Class<?> type) {
        Class<?> declaring = method.getDeclaringClass();
        FoundAnnotations found = inHierarchyOf(declaring);
        for (Class<?> each = type;
                found.areDecisive() && each != null && each != declaring;
                each = each.getSuperclass()) {
            FoundAnnotations nearer = FoundAnnotations.on(each, SearchStrategy.DIRECT);
            if (nearer.areDecisive()) {
                return nearer;
            }
        }
        return found;
    }

    private static FoundAnnotations inHierarchyOf(AnnotatedElement element) {
        return FoundAnnotations.on(element, SearchStrategy.TYPE_HIERARCHY);
    }

    /** The interface of a generated class that is annotated and has the method, be it by inheritance. */
    private static Class<?> annotatedInterface(Method method, Class<?> generated) {
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(generated)) {
            if (method.getDeclaringClass().isAssignableFrom(type)
                    && inHierarchyOf(type).areDecisive()) {
                return type;
            }
        }
        return method.getDeclaringClass();
    }

    /**
     * Whether an annotation on a class or interface applies to this method: not to {@code toString()}, nor to generated
     * methods, nor to those that the container calls to manage the bean.
     */
    private static boolean isCoveredByClass(Method method, Class<?> type) {
        return ClassUtils.isUserLevelMethod(method)
                && !ReflectionUtils.isObjectMethod(method)
                && !ContainerMethods.contain(method, type);
    }
}
