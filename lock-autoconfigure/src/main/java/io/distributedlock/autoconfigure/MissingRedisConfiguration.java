/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Replaces the locks in Redis if its classes are missing: fails the start with the reason. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSwitch("enabled")
@ConditionalOnMissingBean(value = LockOperations.class, search = SearchStrategy.CURRENT)
@Conditional(AutoConfiguredLocksCondition.InRedis.class)
class MissingRedisConfiguration {

    @Bean
    @Lazy(false)
    LockOperations missingLockOperations() {
        throw LockOperationsUnavailableException.noLettuce();
    }
}
