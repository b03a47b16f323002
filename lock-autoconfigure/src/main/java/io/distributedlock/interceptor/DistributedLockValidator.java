/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.logging.SafeLog;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Fails the start of the application if a method with {@link io.distributedlock.annotation.DistributedLocked} would run
 * without its lock, or its annotation cannot be applied. Beans are checked before they are initialized; those that are
 * not created at the start are checked by their type, as far as it is known.
 *
 * @since 0.1.0
 */
public final class DistributedLockValidator implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

    private static final Log log = SafeLog.of(DistributedLockValidator.class);

    private final ConfigurableListableBeanFactory beanFactory;

    private final DistributedLockAdvisor advisor;

    private final LockedClassInspector inspector;

    private final ProxyTypePredictor proxyKind;

    /** Whether a class has locked methods, for all candidates that were inspected. */
    private final Map<Inspected, Boolean> inspected = new ConcurrentHashMap<>();

    /** The beans that were created before this post-processor was registered. */
    private volatile SingletonSupplier<Map<String, Object>> early;

    /** Beans with locked methods before any proxy was created for them; null once all exist. */
    private volatile @Nullable Map<String, Object> bare = new ConcurrentHashMap<>();

    /**
     * Checks nothing yet: the bean factory calls it for each bean. It does not see beans that were created before it.
     *
     * @param beanFactory the factory of the beans to check
     * @param advisor knows which methods are locked
     */
    public DistributedLockValidator(ConfigurableListableBeanFactory beanFactory, DistributedLockAdvisor advisor) {
        this(beanFactory, advisor, Map::of);
    }

    /**
     * Checks nothing yet: the bean factory calls it for each bean.
     *
     * @param beanFactory the factory of the beans to check
     * @param advisor knows which methods are locked
     * @param early the beans that were created before this post-processor was registered, by name; called once, as soon
     *     as it sees beans itself
     */
    public DistributedLockValidator(
            ConfigurableListableBeanFactory beanFactory,
            DistributedLockAdvisor advisor,
            Supplier<Map<String, Object>> early) {
        this.beanFactory = beanFactory;
        this.advisor = advisor;
        this.inspector = new LockedClassInspector(advisor.source());
        this.proxyKind = new ProxyTypePredictor(beanFactory);
        this.early = SingletonSupplier.of(early);
    }

    /** First, to process the beans that other post-processors need, which are often created too early for a proxy. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Map<String, Object> seen = bare;
        if (seen != null) {
            early.obtain();
        }
        if (inspect(bean.getClass(), beanName) && seen != null) {
            seen.put(beanName, bean);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, Object> seen = bare;
        bare = null;
        if (seen != null) {
            early.obtain().forEach((beanName, bean) -> {
                if (inspect(bean.getClass(), beanName)) {
                    requireProxy(beanName, bean);
                }
            });
            early = SingletonSupplier.of(Map.of());
            seen.forEach(this::requireProxy);
        }
        for (String beanName : beanFactory.getBeanDefinitionNames()) {
            Class<?> type = typeOf(beanName);
            if (type != null && !isScopedProxyOfInterfaces(type)) {
                inspect(type, beanName);
            }
        }
        advisor.source().requireFallbacks();
        if (advisor.source().needsDefaultLocks()) {
            advisor.requireLocks();
        }
    }

    /** Beans of one class may have different kinds of proxies. */
    private record Inspected(Class<?> type, boolean byInterfaces) {}

    /** It locks nothing, and has another bean as its target, which is checked for itself. */
    private static boolean isScopedProxyOfInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) && ScopedObject.class.isAssignableFrom(type);
    }

    private boolean inspect(Class<?> type, String beanName) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        if (!advisor.types().contains(userClass)) {
            return false;
        }
        Inspected key = new Inspected(userClass, proxyKind.isOfInterfaces(userClass, beanName));
        Boolean known = inspected.get(key);
        if (known == null) {
            known = inspector.inspect(userClass, key.byInterfaces());
            inspected.put(key, known);
        }
        if (known) {
            LockedClassInspector.requireNoneOf(callbacksOf(beanName, userClass), userClass);
        }
        return known;
    }

    /** The methods that the definition of a bean names or implies for the start and the end of its life, often none. */
    private Set<String> callbacksOf(String beanName, Class<?> type) {
        if (beanFactory.containsBeanDefinition(beanName)
                && !beanFactory.isFactoryBean(beanName)
                && beanFactory.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition) {
            Set<String> callbacks = Stream.of(definition.getInitMethodNames(), definition.getDestroyMethodNames())
                    .filter(Objects::nonNull)
                    .flatMap(Arrays::stream)
                    .collect(Collectors.toSet());
            if (infersDestroyMethod(definition, type)) {
                callbacks.addAll(inferredFor(type));
            }
            return callbacks;
        }
        return Set.of();
    }

    /** The rule of Spring for which beans it looks for a public method close() or shutdown(). */
    private static boolean infersDestroyMethod(AbstractBeanDefinition definition, Class<?> type) {
        String named = definition.getDestroyMethodName();
        boolean inferred = AbstractBeanDefinition.INFER_METHOD.equals(named)
                || (named == null && AutoCloseable.class.isAssignableFrom(type));
        return inferred && !definition.isPrototype() && !DisposableBean.class.isAssignableFrom(type);
    }

    /** A class that is not known yet may have a {@code close()}, so that its {@code shutdown()} is not called. */
    private static Set<String> inferredFor(Class<?> type) {
        if (ClassUtils.hasMethod(type, "close")) {
            return Set.of("close");
        }
        return ClassUtils.hasMethod(type, "shutdown") && LockedMethod.isClassOfBean(type)
                ? Set.of("shutdown")
                : Set.of();
    }

    private void requireProxy(String beanName, Object bean) {
        if (beanFactory.getSingleton(beanName) == bean) {
            throw new InvalidLockedMethodException(
                    "The bean '" + beanName
                            + "' has methods with @DistributedLocked, but no proxy that would lock them ("
                            + bean.getClass().getName() + ").",
                    "Do not let it be created before bean post-processors are or with them: declare post-processors by"
                            + " static @Bean methods, and let those that need it use an ObjectProvider. Nor let it be"
                            + " part of AOP itself.",
                    null);
        }
    }

    private @Nullable Class<?> typeOf(String beanName) {
        try {
            return AutoProxyUtils.determineTargetClass(beanFactory, beanName);
        } catch (BeansException | LinkageError ex) {
            log.debug("The type of bean '" + beanName + "' is not known", ex);
            return null;
        }
    }
}
