/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.function.Supplier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.support.GenericApplicationContext;

/** Contexts with the advisor and the validator, and the refusals of their start. */
final class CheckedContexts {

    static final BeanDefinitionCustomizer[] NONE = {};

    private CheckedContexts() {}

    static InvalidLockedMethodException refusalOf(Class<?> type) {
        return refusal(() -> start(type, true, NONE));
    }

    static InvalidLockedMethodException refusal(Supplier<GenericApplicationContext> start) {
        Throwable thrown = catchThrowable(() -> start.get().close());
        while (thrown != null && !(thrown instanceof InvalidLockedMethodException)) {
            thrown = thrown.getCause();
        }
        assertThat(thrown).as("the refusal").isNotNull();
        return (InvalidLockedMethodException) thrown;
    }

    static GenericApplicationContext start(Class<?> type, boolean byClass, BeanDefinitionCustomizer... customizers) {
        GenericApplicationContext context = prepare(type, byClass, customizers);
        context.refresh();
        return context;
    }

    static GenericApplicationContext prepare(Class<?> type, boolean byClass, BeanDefinitionCustomizer... customizers) {
        GenericApplicationContext context = new GenericApplicationContext();
        RecordingLocks locks = new RecordingLocks();
        context.registerBean(RecordingLocks.class, () -> locks);
        DistributedLockAdvisor advisor =
                new DistributedLockAdvisor(context.getDefaultListableBeanFactory(), () -> locks, 0);
        context.registerBean(
                DistributedLockAdvisor.class,
                () -> advisor,
                definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
        context.registerBean(
                DistributedLockValidator.class,
                () -> new DistributedLockValidator(context.getDefaultListableBeanFactory(), advisor));
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
        if (byClass) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
        }
        context.registerBean(type, customizers);
        return context;
    }
}
