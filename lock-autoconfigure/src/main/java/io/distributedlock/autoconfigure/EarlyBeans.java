/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Records the beans that the container creates before it registers bean post-processors, such as those that a bean
 * factory post-processor depends on. They have no proxies. Objects that were registered as they are, such as mocks, are
 * not among them. Spring creates all ordered post-processors of registries before it calls the first of them, so what
 * these depend on exists by then.
 */
final class EarlyBeans implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {

    private final Recorder recorder = new Recorder();

    /** Before other post-processors are called. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (registry instanceof ConfigurableListableBeanFactory factory) {
            for (String name : factory.getSingletonNames()) {
                Object bean = factory.containsBeanDefinition(name) ? factory.getSingleton(name) : null;
                if (bean != null) {
                    recorder.postProcessBeforeInitialization(bean, name);
                }
            }
            factory.addBeanPostProcessor(recorder);
        }
    }

    /** The beans until now, by name. No others are recorded. */
    Map<String, Object> end() {
        Map<String, Object> recorded = recorder.beans;
        recorder.beans = null;
        return recorded == null ? Map.of() : recorded;
    }

    private static final class Recorder implements BeanPostProcessor {

        volatile @Nullable Map<String, Object> beans = new ConcurrentHashMap<>();

        @Override
        public Object postProcessBeforeInitialization(Object bean, String beanName) {
            Map<String, Object> seen = beans;
            if (seen != null) {
                seen.put(beanName, bean);
            }
            return bean;
        }
    }
}
