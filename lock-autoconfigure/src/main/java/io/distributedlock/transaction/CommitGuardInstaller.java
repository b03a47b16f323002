/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.logging.SafeLog;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.CallbackPreferringPlatformTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Adds a {@link CommitGuard} to every transaction manager that is a bean: as a listener, or, if it accepts none, by a
 * proxy around it where that is possible. Those of parent contexts exist already, so only listeners can be added to
 * them. Reactive ones are unchanged, since their transactions belong to no thread.
 *
 * @since 0.1.0
 */
public final class CommitGuardInstaller implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    private static final Log log = SafeLog.of(CommitGuardInstaller.class);

    private final CommitGuard guard = new CommitGuard();

    private @Nullable BeanFactory context;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        context = beanFactory;
    }

    /** Before any proxy is created for it. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
            install(manager);
        }
        return bean;
    }

    /** The product of a factory bean is accessible only here. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager && !(bean instanceof ConfigurableTransactionManager)) {
            Object guarded = mayBeProxied(bean) ? proxy(bean) : null;
            if (guarded != null) {
                return guarded;
            }
            report(bean, name);
        }
        return postProcessBeforeInitialization(bean, name);
    }

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactory next = parentOf(context);
        while (next != null) {
            if (next instanceof ListableBeanFactory parent) {
                parent.getBeansOfType(PlatformTransactionManager.class, false, false)
                        .forEach(this::installInParent);
            }
            next = parentOf(next);
        }
    }

    private static @Nullable BeanFactory parentOf(@Nullable BeanFactory context) {
        return context instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
    }

    private void installInParent(String name, PlatformTransactionManager manager) {
        if (manager instanceof ConfigurableTransactionManager configurable) {
            install(configurable);
        } else if (!hasGuard(manager)) {
            report(manager, name);
        }
    }

    private static boolean hasGuard(Object manager) {
        return manager instanceof Advised proxy
                && Arrays.stream(proxy.getAdvisors())
                        .anyMatch(advisor -> advisor.getAdvice() instanceof CommitGuardInterceptor);
    }

    private static void report(Object manager, String name) {
        log.warn("The transaction manager '" + name + "', a "
                + manager.getClass().getName() + ", accepts no listeners and"
                + " cannot be proxied: its commits are not stopped when a lock was lost");
    }

    /** The existing list may be immutable. */
    private void install(ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        if (listeners.stream().noneMatch(CommitGuard.class::isInstance)) {
            listeners.add(guard);
            manager.setTransactionExecutionListeners(listeners);
        }
    }

    /**
     * A proxy has to be of the manager's class, since it may be injected by that, so the class and its methods must not
     * be final; and it intercepts only commits that are called from outside the manager.
     */
    private static boolean mayBeProxied(Object manager) {
        if (manager instanceof CallbackPreferringPlatformTransactionManager) {
            return false;
        }
        Class<?> type = ClassUtils.getUserClass(manager);
        return Proxy.isProxyClass(type)
                || (!Modifier.isFinal(type.getModifiers())
                        && Arrays.stream(type.getMethods())
                                .filter(method -> method.getDeclaringClass() != Object.class)
                                .noneMatch(method -> Modifier.isFinal(method.getModifiers())));
    }

    /** Null if the class allows no subclass, as with private constructors only, or a sealed one. */
    private static @Nullable Object proxy(Object manager) {
        ProxyFactory factory = new ProxyFactory(manager);
        factory.setProxyTargetClass(true);
        factory.addAdvice(new CommitGuardInterceptor());
        try {
            return factory.getProxy(manager.getClass().getClassLoader());
        } catch (AopConfigException noSubclass) {
            return null;
        }
    }
}
