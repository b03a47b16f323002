/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/** The beans of type {@link LockOperations} that a context has itself, without those of its parents. */
final class LockBeans {

    /** The auto-configured locks that are switched off. */
    static final String LOCAL = "localLockOperations";

    /** The auto-configured locks in Redis. */
    static final String IN_REDIS = "redisLockTemplate";

    private static final String TEMPLATE = "io.distributedlock.redis.RedisLockTemplate";

    private final ConfigurableListableBeanFactory beans;

    LockBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Those of the parent, or null if there is none, or its definitions cannot be read. */
    @Nullable
    LockBeans parent() {
        BeanFactory parent = beans.getParentBeanFactory();
        return parent instanceof ConfigurableListableBeanFactory known ? new LockBeans(known) : null;
    }

    ConfigurableListableBeanFactory factory() {
        return beans;
    }

    /** Without those that are only used by name. */
    List<String> candidates() {
        return Arrays.stream(beans.getBeanNamesForType(LockOperations.class, true, false))
                .filter(this::isCandidate)
                .toList();
    }

    /** Whether it has locks, and not only beans in front of those of its parents. */
    boolean hasLocks() {
        return has(LOCAL) || candidates().stream().anyMatch(this::isReplacement);
    }

    /** Not under an alias. */
    boolean has(String name) {
        return beans.containsBeanDefinition(name) || beans.containsSingleton(name);
    }

    /** Whether it is in the place of the auto-configured locks: neither in front of them, nor only used by name. */
    boolean isReplacement(String name) {
        if (!isCandidate(name)) {
            return false;
        }
        Class<?> type = beans.getType(name, false);
        return (type != null && type.getName().equals(TEMPLATE)) || !isPrimary(name);
    }

    boolean isPrimary(String name) {
        return beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isPrimary();
    }

    private boolean isCandidate(String name) {
        if (!beans.containsBeanDefinition(name)) {
            return true;
        }
        BeanDefinition definition = beans.getMergedBeanDefinition(name);
        return definition.isAutowireCandidate()
                && !(definition instanceof AbstractBeanDefinition known && !known.isDefaultCandidate());
    }

    /** The kind of locks for beans of this context: its own, or those of the nearest parent that has any. */
    Kind kind() {
        if (has(LOCAL)) {
            return Kind.LOCAL;
        }
        if (has(IN_REDIS) && isCandidate(IN_REDIS)) {
            return Kind.IN_REDIS;
        }
        Kind behind = hasLocks() ? Kind.OF_THE_APPLICATION : inherited();
        return behind == Kind.NONE && !candidates().isEmpty() ? Kind.OF_THE_APPLICATION : behind;
    }

    /** The kind that the parents have. */
    Kind inherited() {
        return kind(beans.getParentBeanFactory());
    }

    /** If the definitions cannot be read, each bean of the type is a candidate. */
    private static Kind kind(@Nullable BeanFactory factory) {
        if (factory instanceof ConfigurableListableBeanFactory readable) {
            return new LockBeans(readable).kind();
        }
        if (factory instanceof ListableBeanFactory known) {
            List<String> names = List.of(known.getBeanNamesForType(LockOperations.class, true, false));
            if (!names.isEmpty()) {
                return kind(names);
            }
        }
        return factory instanceof HierarchicalBeanFactory child ? kind(child.getParentBeanFactory()) : Kind.NONE;
    }

    private static Kind kind(List<String> names) {
        if (names.contains(LOCAL)) {
            return Kind.LOCAL;
        }
        return names.contains(IN_REDIS) ? Kind.IN_REDIS : Kind.OF_THE_APPLICATION;
    }

    enum Kind {
        NONE,
        LOCAL,
        IN_REDIS,
        OF_THE_APPLICATION
    }
}
