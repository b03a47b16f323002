/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

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
        if (creatorPrefersClasses() || AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName)) {
            return false;
        }
        ProxyFactory factory = new ProxyFactory();
        evaluateProxyInterfaces(type, factory);
        return !factory.isProxyTargetClass();
    }

    private boolean creatorPrefersClasses() {
        return beanFactory.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig creator
                && creator.isProxyTargetClass();
    }
}
