/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.annotation.DistributedLocked;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Searches the methods of a class, also those that no proxy reaches, for annotations without an effect. */
final class LockedClassInspector {

    private static final Set<String> CALLBACKS =
            Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private final LockOperationSource source;

    LockedClassInspector(LockOperationSource source) {
        this.source = source;
    }

    /**
     * Checks all methods of a class. Of an interface or an abstract class, only what is wrong in every class of a bean:
     * that class is checked when the bean is created.
     *
     * @param byInterfaces whether its proxy has only the methods of its interfaces
     * @return whether any method is locked
     * @throws InvalidLockedMethodException for the first one that is annotated, but could not be locked
     */
    boolean inspect(Class<?> type, boolean byInterfaces) {
        boolean locked = false;
        boolean closed = Modifier.isFinal(type.getModifiers()) || type.isSealed();
        for (Method method : methodsOf(type)) {
            requireReachable(method, type);
            if (source.get(method, type) != null) {
                requireProxied(method, type, byInterfaces, closed);
                locked = true;
            }
        }
        return locked;
    }

    private static Set<Method> methodsOf(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodFilter) method -> true);
    }

    static void requireReachable(Method method, Class<?> type) {
        if (Modifier.isPrivate(method.getModifiers()) && LockedClassFilter.isAnnotated(method)) {
            throw refuse(method, type, "a private method is never called through the proxy that locks it", "private");
        }
        if (Modifier.isStatic(method.getModifiers()) && LockedClassFilter.isAnnotated(method)) {
            throw refuse(method, type, "a static method is never called through the proxy that locks it", "static");
        }
        if (isCalledByContainer(method, type)) {
            requireNoAnnotation(method, type);
        }
    }

    /**
     * Checks the methods that the definition of a bean names for the start and the end of its life.
     *
     * @throws InvalidLockedMethodException if one of them is annotated
     */
    static void requireNoneOf(Collection<String> callbacks, Class<?> type) {
        if (callbacks.isEmpty()) {
            return;
        }
        for (Method method : methodsOf(type)) {
            if (method.getParameterCount() == 0 && callbacks.contains(method.getName())) {
                requireNoAnnotation(method, type);
            }
        }
    }

    private static void requireNoAnnotation(Method calledByContainer, Class<?> type) {
        if (LockedClassFilter.isAnnotated(calledByContainer) || inheritsAnnotation(calledByContainer, type)) {
            throw new LockedMethod(calledByContainer, calledByContainer, type)
                    .refuse(
                            "the container calls it on the bean itself, not through the proxy that locks it",
                            "Lock a method of another bean that it calls. Work at the start can also be done in a"
                                    + " listener to ApplicationReadyEvent. With destroyMethod = \"\" of @Bean, the"
                                    + " container calls neither close() nor shutdown() at the end.");
        }
    }

    /** Not if one that is nearer excludes the method. An invalid one is refused when it is parsed. */
    private static boolean inheritsAnnotation(Method method, Class<?> type) {
        try {
            FoundAnnotations own = FoundAnnotations.on(method, SearchStrategy.TYPE_HIERARCHY);
            return Stream.concat(Stream.of(own), ofInterfaces(method, type))
                    .filter(FoundAnnotations::areDecisive)
                    .findFirst()
                    .filter(found -> !found.excluded())
                    .isPresent();
        } catch (AnnotationConfigurationException ex) {
            return false;
        }
    }

    private static Stream<FoundAnnotations> ofInterfaces(Method method, Class<?> type) {
        return InterfaceMethods.implementedBy(method, type).stream()
                .map(each -> FoundAnnotations.on(each, SearchStrategy.TYPE_HIERARCHY));
    }

    /** At the start or the end of the bean's life, by the ways that its class declares. */
    private static boolean isCalledByContainer(Method method, Class<?> type) {
        if (method.getParameterCount() > 0) {
            return false;
        }
        if (method.getName().equals("afterPropertiesSet")) {
            return InitializingBean.class.isAssignableFrom(type);
        }
        if (method.getName().equals("destroy")) {
            return DisposableBean.class.isAssignableFrom(type);
        }
        // Of a method of a superclass, the container calls the one that overrides it.
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.SUPERCLASS);
        return CALLBACKS.stream().anyMatch(annotations::isPresent);
    }

    private static void requireProxied(Method method, Class<?> type, boolean byInterfaces, boolean closed) {
        boolean known = LockedMethod.isClassOfBean(type);
        if (byInterfaces) {
            if (known) {
                requireInInterface(method, type);
            }
            return;
        }
        if (isOnlyCoveredByClass(method, type)) {
            return;
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw refuse(method, type, "a proxy cannot override a final method", "final");
        }
        if (!known) {
            return;
        }
        if (closed) {
            throw new LockedMethod(method, method, type)
                    .refuse(
                            "its class is final or sealed, so that no proxy can extend it",
                            "Open the class, or let it be proxied by an interface that has the method.");
        }
        requireSamePackage(method, type);
    }

    /**
     * Whether an inherited method is locked only since the bean's class has the annotation. That annotation applies to
     * the methods that a proxy can reach, and the author of the class cannot change the others.
     */
    private static boolean isOnlyCoveredByClass(Method method, Class<?> type) {
        Class<?> owner = method.getDeclaringClass();
        return owner != type
                && !isReachable(method, type)
                && !isAnnotatedInHierarchy(method, type)
                && !LockedClassFilter.isAnnotated(owner);
    }

    private static boolean isAnnotatedInHierarchy(Method method, Class<?> type) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLocked.class)
                || InterfaceMethods.implementedBy(method, type).stream().anyMatch(LockedClassFilter::isAnnotated);
    }

    private static boolean isReachable(Method method, Class<?> type) {
        return !Modifier.isFinal(method.getModifiers()) && !isOfAnotherPackage(method, type);
    }

    private static void requireInInterface(Method method, Class<?> type) {
        if (LockedClassFilter.isAnnotated(method) && !isInInterface(method, type)) {
            throw new LockedMethod(method, method, type)
                    .refuse(
                            "the bean is proxied by its interfaces, and none of them has the method",
                            "Declare it in the interface, or set spring.aop.proxy-target-class=true.");
        }
    }

    private static boolean isInInterface(Method method, Class<?> type) {
        return method.getDeclaringClass().isInterface()
                || !InterfaceMethods.implementedBy(method, type).isEmpty();
    }

    private static void requireSamePackage(Method method, Class<?> type) {
        if (isOfAnotherPackage(method, type)) {
            throw new LockedMethod(method, method, type)
                    .refuse(
                            "the proxy is in another package than the package-private method of "
                                    + method.getDeclaringClass().getName(),
                            "Make the method protected or public.");
        }
    }

    private static boolean isOfAnotherPackage(Method method, Class<?> type) {
        boolean packagePrivate =
                (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
        return packagePrivate && !method.getDeclaringClass().getPackageName().equals(type.getPackageName());
    }

    private static InvalidLockedMethodException refuse(Method method, Class<?> type, String problem, String modifier) {
        return new LockedMethod(method, method, type)
                .refuse(problem, "Make it not " + modifier + ", and call it through the bean.");
    }
}
