/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.logging.SafeLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/** Warns of properties of a child context that have no effect, since it uses the locks of its parent. */
final class InheritedLocksCheck implements BeanFactoryPostProcessor {

    private static final Log log = SafeLog.of(InheritedLocksCheck.class);

    /** What the locks are created with. The other properties are of the methods of a context. */
    static final Map<String, Function<DistributedLockProperties, @Nullable Object>> OF_THE_LOCKS =
            new LinkedHashMap<>();

    static {
        OF_THE_LOCKS.put("connection-factory", DistributedLockProperties::connectionFactory);
        OF_THE_LOCKS.put("key-prefix", DistributedLockProperties::keyPrefix);
        OF_THE_LOCKS.put("lease", DistributedLockProperties::lease);
        OF_THE_LOCKS.put("wait", DistributedLockProperties::waitUpTo);
        OF_THE_LOCKS.put("max-hold", DistributedLockProperties::maxHold);
        OF_THE_LOCKS.put("command-timeout", DistributedLockProperties::commandTimeout);
        OF_THE_LOCKS.put("fairness", DistributedLockProperties::fairness);
        OF_THE_LOCKS.put("shutdown-grace", DistributedLockProperties::shutdownGrace);
        OF_THE_LOCKS.put("retention", DistributedLockProperties::retention);
        OF_THE_LOCKS.put("release", DistributedLockProperties::release);
        OF_THE_LOCKS.put("max-waiters", DistributedLockProperties::maxWaiters);
        OF_THE_LOCKS.put("replicas", DistributedLockProperties::replicas);
        OF_THE_LOCKS.put("warn", DistributedLockProperties::warn);
        OF_THE_LOCKS.put("deadlock", DistributedLockProperties::deadlock);
    }

    private final Environment environment;

    InheritedLocksCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        LockBeans own = new LockBeans(beans);
        if (own.parent() == null || own.hasLocks()) {
            return;
        }
        DistributedLockProperties here = DistributedLockProperties.of(environment);
        DistributedLockProperties there = propertiesOf(own.parent());
        if (here.enabled() && there != null) {
            warnOfDifferences(here, there);
        }
    }

    /** The properties that the locks of a context are created with: its own, or those of the parent that has them. */
    static DistributedLockProperties propertiesOfLocks(
            ConfigurableListableBeanFactory beans, DistributedLockProperties ofContext) {
        LockBeans own = new LockBeans(beans);
        if (own.parent() == null || own.hasLocks()) {
            return ofContext;
        }
        DistributedLockProperties there = propertiesOf(own.parent());
        return there == null ? ofContext : there;
    }

    private void warnOfDifferences(DistributedLockProperties here, DistributedLockProperties there) {
        String ignored = OF_THE_LOCKS.entrySet().stream()
                .filter(each -> !Objects.equals(
                        each.getValue().apply(here), each.getValue().apply(there)))
                .filter(each -> isSet(each.getKey()))
                .map(each -> DistributedLockProperties.PREFIX + each.getKey())
                .collect(Collectors.joining(", "));
        if (!ignored.isEmpty()) {
            log.warn("This context uses the locks of its parent context, so its values of these properties have no"
                    + " effect: " + ignored + ". Set them for the parent context.");
        }
    }

    /** Not only by its default; the parent may have another value. */
    private boolean isSet(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(DistributedLockProperties.PREFIX + property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null
                    || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return true;
            }
        }
        return false;
    }

    /** Those of the nearest parent that has locks, or null if none has any. */
    private static @Nullable DistributedLockProperties propertiesOf(@Nullable LockBeans parent) {
        if (parent == null) {
            return null;
        }
        return parent.hasLocks()
                ? DistributedLockProperties.of(parent.factory()
                        .getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class))
                : propertiesOf(parent.parent());
    }
}
