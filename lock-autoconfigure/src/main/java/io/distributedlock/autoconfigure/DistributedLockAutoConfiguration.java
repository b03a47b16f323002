/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.DistributedLockValidator;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Locks the methods with {@link io.distributedlock.annotation.DistributedLocked}, and provides the
 * {@link LockOperations} for it, unless the application has its own. Also in a child context, with the locks of its
 * parent, unless only one of the two has them switched on.
 */
@AutoConfiguration(
        after = AopAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({
    AutoProxyCreatorRegistrar.class,
    LocalLockConfiguration.class,
    RedisLockConfiguration.class,
    MissingRedisConfiguration.class,
    CommitGuardConfiguration.class,
    ReactiveTransactionsConfiguration.class,
    ReactiveCommitGuardConfiguration.class
})
public final class DistributedLockAutoConfiguration {

    /** Binds its order itself and looks up the locks late: any other bean would be created before it can be advised. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static DistributedLockAdvisor distributedLockAdvisor(
            ConfigurableListableBeanFactory beanFactory, Environment environment) {
        DistributedLockProperties properties = DistributedLockProperties.of(environment);
        return new DistributedLockAdvisor(
                beanFactory,
                () -> locks(beanFactory, properties),
                properties.order(),
                properties.keepUntilCompletion(),
                InheritedLocksCheck.propertiesOfLocks(beanFactory, properties).maxHold());
    }

    /** One for all, as the label may have a random part. */
    @Bean
    InstanceLabel lockInstanceLabel(Environment environment, DistributedLockProperties properties) {
        return new InstanceLabel(environment, properties.instanceLabel());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnknownPropertyCheck unknownPropertyCheck(Environment environment) {
        return new UnknownPropertyCheck(environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAdvisorRolePostProcessor lockAdvisorRole() {
        return new LockAdvisorRolePostProcessor();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ChildContextLocksPostProcessor ownLocksFirst() {
        return new ChildContextLocksPostProcessor();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static InheritedLocksCheck inheritedLocksCheck(Environment environment) {
        return new InheritedLocksCheck(environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StarterSideEffectsWarning starterSideEffects(Environment environment) {
        return new StarterSideEffectsWarning(environment);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EarlyBeans beansWithoutProxies() {
        return new EarlyBeans();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DistributedLockValidator distributedLockValidator(
            ConfigurableListableBeanFactory beanFactory, DistributedLockAdvisor advisor, EarlyBeans early) {
        return new DistributedLockValidator(beanFactory, advisor, early::end);
    }

    /** With locks switched off, those of the application are not used either, unless they decorate the local ones. */
    private static LockOperations locks(
            ConfigurableListableBeanFactory beanFactory, DistributedLockProperties properties) {
        return properties.enabled() || new LockBeans(beanFactory).kind() == LockBeans.Kind.LOCAL
                ? locks(beanFactory)
                : LocalLockOperations.of(properties);
    }

    /** Not by a parameter, since its name would select one of several. */
    private static LockOperations locks(ConfigurableListableBeanFactory beanFactory) {
        ObjectProvider<LockOperations> locks = beanFactory.getBeanProvider(LockOperations.class);
        try {
            return locks.getObject();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw LockOperationsUnavailableException.severalLocks(String.valueOf(ex.getBeanNamesFound()));
        }
    }
}
