/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.transaction.CommitGuardInstaller;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Prevents the commit of transactions under a lock that was lost. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnSwitch({"enabled", "transaction.guard"})
class CommitGuardConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitGuardInstaller commitGuardInstaller() {
        return new CommitGuardInstaller();
    }
}
