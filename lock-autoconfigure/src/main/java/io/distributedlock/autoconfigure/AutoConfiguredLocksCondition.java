/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Whether the application uses the auto-configured locks. A {@link LockOperations} bean of its own replaces them, but
 * not a primary one: it may be a decorator that needs them.
 */
class AutoConfiguredLocksCondition extends SpringBootCondition implements ConfigurationCondition {

    private static final String TEMPLATE = "io.distributedlock.redis.RedisLockTemplate";

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Auto-configured locks");
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        if (beans == null) {
            return ConditionOutcome.match();
        }
        if (hasLocks(beans.getParentBeanFactory())) {
            return ConditionOutcome.noMatch(message.because("a parent context has locks"));
        }
        boolean inFront = false;
        for (String name : beans.getBeanNamesForType(LockOperations.class, true, false)) {
            if (isReplacement(name, beans)) {
                return ConditionOutcome.noMatch(message.found("bean").items(name));
            }
            inFront |= isPrimary(name, beans);
        }
        return inFront && !canBeMade(beans)
                ? ConditionOutcome.noMatch(message.because("a primary bean is there, and they could not be made"))
                : ConditionOutcome.match(message.because("no bean takes their place"));
    }

    /**
     * Whether locks for a primary bean can be created; without such a bean, missing requirements are reported at the
     * start.
     */
    boolean canBeMade(ListableBeanFactory beans) {
        return true;
    }

    private static boolean hasLocks(@Nullable BeanFactory parent) {
        if (!(parent instanceof ListableBeanFactory beans)) {
            return false;
        }
        return Arrays.stream(beans.getBeanNamesForType(LockOperations.class, true, false))
                        .anyMatch(name -> !(beans instanceof ConfigurableListableBeanFactory configured)
                                || isCandidate(name, configured))
                || (beans instanceof HierarchicalBeanFactory child && hasLocks(child.getParentBeanFactory()));
    }

    private static boolean isReplacement(String name, ConfigurableListableBeanFactory beans) {
        if (!isCandidate(name, beans)) {
            return false;
        }
        Class<?> type = beans.getType(name, false);
        return (type != null && type.getName().equals(TEMPLATE)) || !isPrimary(name, beans);
    }

    private static boolean isPrimary(String name, ConfigurableListableBeanFactory beans) {
        return beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isPrimary();
    }

    /** Beans that are only used by name do not replace the locks. */
    private static boolean isCandidate(String name, ConfigurableListableBeanFactory beans) {
        if (!beans.containsBeanDefinition(name)) {
            return true;
        }
        BeanDefinition definition = beans.getMergedBeanDefinition(name);
        return definition.isAutowireCandidate()
                && !(definition instanceof AbstractBeanDefinition known && !known.isDefaultCandidate());
    }

    /** The same for locks in Redis, which need a connection factory. */
    static final class InRedis extends AutoConfiguredLocksCondition {

        private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

        @Override
        boolean canBeMade(ListableBeanFactory beans) {
            ClassLoader loader = getClass().getClassLoader();
            return ClassUtils.isPresent(FACTORY, loader)
                    && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                                            beans, ClassUtils.resolveClassName(FACTORY, loader), true, false)
                                    .length
                            > 0;
        }
    }
}
