/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockMonitor;
import io.distributedlock.observation.LockGauges;
import io.distributedlock.observation.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Measures locks, if there is a registry of meters. */
@AutoConfiguration(
        after = DistributedLockAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnSwitch("enabled")
public final class DistributedLockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LockMetrics lockMetrics(MeterRegistry registry) {
        return new LockMetrics(registry);
    }

    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(LockMonitor.class)
    LockGauges lockGauges(MeterRegistry registry, ObjectProvider<LockMonitor> monitor) {
        return new LockGauges(registry, monitor.getIfAvailable(UnmonitoredLocks::new));
    }
}
