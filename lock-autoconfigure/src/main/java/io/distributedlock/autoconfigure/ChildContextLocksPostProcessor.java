/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.interceptor.DistributedLockAdvisor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Where a child context has auto-configured locks although its parent has some, since only one of the two has them
 * switched on, an injection point by type would find both. So the bean of the child gets the name of the parent's one
 * as an alias, which hides that one, and is primary if the parent has a bean in front of its locks.
 *
 * <p>The advisor of the child hides those of its parents in the same way: with both, a method would be locked twice.
 */
final class ChildContextLocksPostProcessor implements BeanFactoryPostProcessor {

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        LockBeans own = new LockBeans(beans);
        if (own.inherited() != LockBeans.Kind.NONE) {
            putFirst(LockBeans.LOCAL, LockBeans.IN_REDIS, own);
            putFirst(LockBeans.IN_REDIS, LockBeans.LOCAL, own);
        }
        for (String advisor : advisorsOf(beans)) {
            hideInherited(advisor, beans);
        }
    }

    private static String[] advisorsOf(ConfigurableListableBeanFactory beans) {
        return beans.getBeanNamesForType(DistributedLockAdvisor.class, true, false);
    }

    private static void hideInherited(String advisor, ConfigurableListableBeanFactory beans) {
        BeanFactory parent = beans.getParentBeanFactory();
        while (parent instanceof ConfigurableListableBeanFactory known) {
            for (String hidden : advisorsOf(known)) {
                if (!beans.containsLocalBean(hidden)) {
                    beans.registerAlias(advisor, hidden);
                }
            }
            parent = known.getParentBeanFactory();
        }
    }

    private static void putFirst(String name, String hidden, LockBeans own) {
        ConfigurableListableBeanFactory beans = own.factory();
        if (!beans.containsBeanDefinition(name)) {
            return;
        }
        if (!own.has(hidden)) {
            beans.registerAlias(name, hidden);
        }
        if (hasPrimary(own.parent()) && own.candidates().stream().noneMatch(own::isPrimary)) {
            beans.getBeanDefinition(name).setPrimary(true);
        }
    }

    private static boolean hasPrimary(@Nullable LockBeans parent) {
        return parent != null
                && (parent.candidates().stream().anyMatch(parent::isPrimary) || hasPrimary(parent.parent()));
    }
}
