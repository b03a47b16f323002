/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

/**
 * Locks the methods with {@link io.distributedlock.annotation.DistributedLocked} of all beans that a proxy creator of
 * Spring advises. Declare it as an infrastructure bean: without AspectJ, Spring ignores advisors of any other role.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    /**
     * Outside transactions, which are last by default, and so near to them that every advice which repeats calls is
     * outside. Spring Retry has the same order; the advisor that was registered first is then outside, which is that of
     * the application.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

    private final transient LockOperationSource source;

    private final transient LockedClassFilter types = new LockedClassFilter();

    private final transient SingletonSupplier<LockOperations> locks;

    private final transient Pointcut pointcut;

    private final transient Advice advice;

    /**
     * Creates the advisor.
     *
     * @param beanFactory resolves placeholders, and beans in key expressions
     * @param locks called once, by the first call of a locked method
     * @param order the place among other advisors; a lower one is further outside
     */
    public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockOperations> locks, int order) {
        this(beanFactory, locks, order, true, null);
    }

    /**
     * Creates the advisor.
     *
     * @param beanFactory resolves placeholders, and beans in key expressions
     * @param locks called once, by the first call of a locked method
     * @param order the place among other advisors; a lower one is further outside
     * @param keepUntilCompletion whether a lock that is acquired inside a transaction is kept until that has completed
     */
    public DistributedLockAdvisor(
            ConfigurableBeanFactory beanFactory,
            Supplier<LockOperations> locks,
            int order,
            boolean keepUntilCompletion) {
        this(beanFactory, locks, order, keepUntilCompletion, null);
    }

    /**
     * Creates the advisor.
     *
     * @param beanFactory resolves placeholders, and beans in key expressions
     * @param locks called once, by the first call of a locked method
     * @param order the place among other advisors; a lower one is further outside
     * @param keepUntilCompletion whether a lock that is acquired inside a transaction is kept until that has completed
     * @param maxHold the limit that these locks have by default, or null for none: a method with a longer
     *     {@code minHold} is refused
     */
    public DistributedLockAdvisor(
            ConfigurableBeanFactory beanFactory,
            Supplier<LockOperations> locks,
            int order,
            boolean keepUntilCompletion,
            @Nullable Duration maxHold) {
        this.source = new LockOperationSource(
                new LockAnnotationParser(beanFactory, keepUntilCompletion, maxHold, this::getOrder));
        this.locks = SingletonSupplier.of(locks);
        this.pointcut = new LockPointcut(source, types);
        this.advice = new LockInterceptor(source, this.locks::obtain);
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    /** Finds the locks now, so that none or several of them are reported at the start. */
    void requireLocks() {
        locks.obtain();
    }

    LockedClassFilter types() {
        return types;
    }

    LockOperationSource source() {
        return source;
    }
}
