/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockListener;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.observation.PeriodicWatch;
import io.distributedlock.observation.SlowLockWatch;
import io.distributedlock.redis.RedisLockTemplate;
import io.lettuce.core.RedisClient;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/** Locks in the Redis of the application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisClient.class, LettuceConnectionFactory.class})
@ConditionalOnSwitch("enabled")
@Conditional(AutoConfiguredLocksCondition.InRedis.class)
class RedisLockConfiguration {

    /** The locks as they were created; null if a test has replaced the bean. */
    private volatile @Nullable RedisLockTemplate created;

    /** Never lazy: it is started with the application, and missing requirements are reported at the start. */
    @Bean
    @Lazy(false)
    RedisLockTemplate redisLockTemplate(
            ListableBeanFactory beans,
            DistributedLockProperties properties,
            ApplicationEventPublisher publisher,
            ObjectProvider<LockListener> listeners,
            InstanceLabel label) {
        RedisLockTemplate template = new RedisLockTemplate(
                lettuce(beans, properties.connectionFactory()),
                properties.keyPrefix(),
                properties.toSettings(),
                publisher::publishEvent,
                properties.keepUntilCompletion(),
                () -> LockListener.allOf(listeners.orderedStream().toList()),
                properties.replicas().acknowledge(),
                properties.replicas().timeout());
        template.label(label::text);
        created = template;
        return template;
    }

    /**
     * Starts and stops the locks also if a post-processor has wrapped them by an object that is no lifecycle.
     *
     * @param locks are created first
     */
    @Bean
    @Lazy(false)
    CreatedLocksLifecycle redisLockLifecycle(@Qualifier("redisLockTemplate") LockOperations locks) {
        return new CreatedLocksLifecycle(locks instanceof Lifecycle ? null : created);
    }

    @Bean
    @Lazy(false)
    SlowLockWatch slowLockWatch(
            @Qualifier("redisLockTemplate") LockOperations locks,
            DistributedLockProperties properties,
            ApplicationEventPublisher publisher) {
        return new SlowLockWatch(
                UnmonitoredLocks.monitorOf(locks, "warning of slow locks"),
                locks,
                publisher::publishEvent,
                properties.warn().waiting(),
                properties.warn().holding());
    }

    @Bean
    @Lazy(false)
    PeriodicWatch deadlockWatch(
            @Qualifier("redisLockTemplate") LockOperations locks, DistributedLockProperties properties) {
        DistributedLockProperties.Deadlock deadlock = properties.deadlock();
        LockMonitor monitor = UnmonitoredLocks.monitorOf(locks, "search for deadlocks");
        return new PeriodicWatch(
                "distributed-lock-deadlocks",
                () -> monitor.searchDeadlocks(deadlock.after(), deadlock.resolve()),
                deadlock.after());
    }

    private static LettuceConnectionFactory lettuce(ListableBeanFactory beans, @Nullable String name) {
        RedisConnectionFactory candidate = StringUtils.hasText(name) ? named(beans, name) : single(beans);
        for (Object each = candidate; each != null; each = behind(each)) {
            if (each instanceof LettuceConnectionFactory lettuce) {
                return lettuce;
            }
        }
        throw candidate == null
                ? LockOperationsUnavailableException.noConnectionFactory()
                : LockOperationsUnavailableException.notLettuce(candidate.getClass());
    }

    private static @Nullable Object behind(Object proxy) {
        try {
            return proxy instanceof Advised advised ? advised.getTargetSource().getTarget() : null;
        } catch (Exception ex) {
            throw new IllegalStateException("The RedisConnectionFactory behind its proxy is not available", ex);
        }
    }

    private static @Nullable RedisConnectionFactory single(ListableBeanFactory beans) {
        try {
            return beans.getBeanProvider(RedisConnectionFactory.class).getIfAvailable();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw LockOperationsUnavailableException.ambiguous(String.valueOf(ex.getBeanNamesFound()));
        }
    }

    private static RedisConnectionFactory named(ListableBeanFactory beans, String name) {
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, RedisConnectionFactory.class)) {
            throw LockOperationsUnavailableException.unknownConnectionFactory(
                    name,
                    List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, RedisConnectionFactory.class)));
        }
        return beans.getBean(name, RedisConnectionFactory.class);
    }
}
