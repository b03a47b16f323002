/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Proxies without a context, for tests of what an advised call does. */
final class LockedProxies {

    final DefaultListableBeanFactory beans;

    final DistributedLockAdvisor advisor;

    LockedProxies(LockOperations locks, DefaultListableBeanFactory beans) {
        this.beans = beans;
        advisor = new DistributedLockAdvisor(beans, () -> locks, DistributedLockAdvisor.DEFAULT_ORDER);
    }

    static LockedProxies by(LockOperations locks) {
        return new LockedProxies(locks, new DefaultListableBeanFactory());
    }

    /** A proxy that extends the class of the target. */
    @SuppressWarnings("unchecked")
    <T> T byClass(T target) {
        return (T) proxy(target, true);
    }

    /** A proxy that has only the interfaces of the target. */
    <T> T byInterfaces(Object target, Class<T> type) {
        return type.cast(proxy(target, false));
    }

    private Object proxy(Object target, boolean byClass) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(byClass);
        factory.addAdvisor(advisor);
        return factory.getProxy();
    }
}
