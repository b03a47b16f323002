/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/** The replacement for locks that are switched off. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSwitch(value = "enabled", on = false)
@Conditional(AutoConfiguredLocksCondition.class)
@Import(LocalLockConfiguration.AliasRegistrar.class)
class LocalLockConfiguration {

    @Bean
    LockOperations localLockOperations(DistributedLockProperties properties) {
        return LocalLockOperations.of(properties);
    }

    /**
     * The replacement has the name of the locks in Redis as well, for methods and injection points that use it. Not if
     * the application has a bean of that name.
     */
    static final class AliasRegistrar implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            if (registry instanceof BeanFactory beans && !beans.containsBean("redisLockTemplate")) {
                registry.registerAlias("localLockOperations", "redisLockTemplate");
            }
        }
    }
}
