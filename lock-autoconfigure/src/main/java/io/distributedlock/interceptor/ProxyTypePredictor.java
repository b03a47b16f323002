/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Predicts whether Spring's proxy creator will create a proxy of interfaces or of the class, by the creator's rules.
 */
final class ProxyTypePredictor extends ProxyProcessorSupport {

    private static final long serialVersionUID = 1L;

    private final transient ConfigurableListableBeanFactory beanFactory;

    ProxyTypePredictor(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    boolean isOfInterfaces(Class<?> type, String beanName) {
        if (LockedMethod.isGenerated(type)) {
            return true;
        }
        if (AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName)) {
            return false;
        }
        Class<?>[] exposed = exposedInterfaces(beanName);
        if (exposed == null && creatorPrefersClasses()) {
            return false;
        }
        if (exposed != null && exposed.length > 0) {
            return true;
        }
        ProxyFactory factory = new ProxyFactory();
        evaluateProxyInterfaces(type, factory);
        return !factory.isProxyTargetClass();
    }

    /** What the definition of the bean selects, as by {@code @Proxyable}: none of them means all; null if nothing. */
    private Class<?> @Nullable [] exposedInterfaces(String beanName) {
        Object selected = beanFactory.containsBeanDefinition(beanName)
                ? beanFactory.getBeanDefinition(beanName).getAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE)
                : null;
        if (selected instanceof Class<?> one) {
            return new Class<?>[] {one};
        }
        return selected instanceof Class<?>[] several ? several : null;
    }

    private boolean creatorPrefersClasses() {
        return beanFactory.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig creator
                && creator.isProxyTargetClass();
    }
}
