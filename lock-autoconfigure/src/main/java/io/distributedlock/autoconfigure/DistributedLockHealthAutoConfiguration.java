/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockMonitor;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.actuate.LocksHealthIndicator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The health of the locks, unless {@code management.health.locks.enabled} is false. */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        beforeName =
                "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnSingleCandidate(LockMonitor.class)
@ConditionalOnSwitch("enabled")
public final class DistributedLockHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnEnabledHealthIndicator("locks")
    LocksHealthIndicator locksHealthIndicator(
            ObjectProvider<LockMonitor> monitor, ObjectProvider<InstanceLabel> label, Environment environment) {
        return new LocksHealthIndicator(
                monitor.getIfAvailable(), label.getIfAvailable(() -> new InstanceLabel(environment)));
    }
}
