/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.interceptor.DistributedLockAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * Makes an advisor of the application infrastructure. Without AspectJ, Spring applies no other advisors, so beans that
 * are created after the start would run without their locks.
 */
final class LockAdvisorRolePostProcessor implements BeanFactoryPostProcessor {

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        for (String advisor : beans.getBeanNamesForType(DistributedLockAdvisor.class, true, false)) {
            if (beans.containsBeanDefinition(advisor)
                    && beans.getBeanDefinition(advisor) instanceof AbstractBeanDefinition definition) {
                definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            }
        }
    }
}
