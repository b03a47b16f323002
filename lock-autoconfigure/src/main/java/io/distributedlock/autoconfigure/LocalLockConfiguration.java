/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The replacement for locks that are switched off. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSwitch(value = "enabled", on = false)
@Conditional(AutoConfiguredLocksCondition.class)
class LocalLockConfiguration {

    @Bean
    LockOperations localLockOperations(DistributedLockProperties properties) {
        return new LocalLockOperations(properties.lease());
    }
}
