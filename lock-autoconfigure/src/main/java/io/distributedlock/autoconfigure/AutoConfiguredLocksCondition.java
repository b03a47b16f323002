/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Whether the application uses the auto-configured locks. A {@link LockOperations} bean of its own replaces them, but
 * not a primary one: it may be a decorator that needs them. Locks of a parent context replace them too, unless they are
 * switched on there and off here, or the other way round.
 */
class AutoConfiguredLocksCondition extends SpringBootCondition implements ConfigurationCondition {

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
        LockBeans locks = new LockBeans(beans);
        LockBeans.Kind inherited = locks.inherited();
        if (inherited != LockBeans.Kind.NONE && inherited != overridden()) {
            return ConditionOutcome.noMatch(message.because("a parent context has locks"));
        }
        boolean inFront = false;
        for (String name : beans.getBeanNamesForType(LockOperations.class, true, false)) {
            if (locks.isReplacement(name)) {
                return ConditionOutcome.noMatch(message.found("bean").items(name));
            }
            inFront |= locks.isPrimary(name);
        }
        return inFront && !canBeMade(beans)
                ? ConditionOutcome.noMatch(message.because("a primary bean is there, and they could not be made"))
                : ConditionOutcome.match(message.because("no bean takes their place"));
    }

    /** The auto-configured locks of a parent for which {@code distributed-lock.enabled} has the other value. */
    LockBeans.Kind overridden() {
        return LockBeans.Kind.IN_REDIS;
    }

    /**
     * Whether locks for a primary bean can be created; without such a bean, missing requirements are reported at the
     * start.
     */
    boolean canBeMade(ListableBeanFactory beans) {
        return true;
    }

    /** The same for locks in Redis, which need a connection factory. */
    static final class InRedis extends AutoConfiguredLocksCondition {

        private static final String FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";

        @Override
        LockBeans.Kind overridden() {
            return LockBeans.Kind.LOCAL;
        }

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
