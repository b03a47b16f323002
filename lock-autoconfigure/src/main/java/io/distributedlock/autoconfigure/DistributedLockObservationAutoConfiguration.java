/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.observation.LockObservationConvention;
import io.distributedlock.observation.LockObservations;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Observes waits and holds, if there is a registry of observations. */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@ConditionalOnSwitch("enabled")
public final class DistributedLockObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockObservations lockObservations(
            ObservationRegistry registry, ObjectProvider<LockObservationConvention> convention) {
        return new LockObservations(registry, convention.getIfAvailable());
    }
}
