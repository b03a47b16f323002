/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.actuate.LocksEndpoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The endpoint {@code locks}, if Actuator is present and the endpoint is exposed. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnSingleCandidate(LockMonitor.class)
@ConditionalOnSwitch("enabled")
public final class DistributedLockEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint locksEndpoint(
            ObjectProvider<LockMonitor> monitors,
            ObjectProvider<LockOperations> locks,
            ObjectProvider<InstanceLabel> label,
            Environment environment,
            ApplicationEventPublisher events) {
        LockMonitor monitor = monitors.getIfAvailable(UnmonitoredLocks::new);
        LockOperations shown = monitor instanceof LockOperations both ? both : locks.getObject();
        return new LocksEndpoint(shown, monitor, label.getIfAvailable(() -> new InstanceLabel(environment)), events);
    }

    /** Its class needs Spring's reactive web support, which is optional. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class ReactiveEndpoint {

        @Bean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
        LocksPathFilter locksPathFilter(ApplicationContext application) {
            return new LocksPathFilter(application);
        }
    }
}
