/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockKeyGenerator;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** The scope of a bean that an annotation names decides how long a call uses the same one. */
class NamedBeanScopeTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final AtomicInteger created = new AtomicInteger();

    @Test
    void aKeyGeneratorOfAnotherScopeIsRequestedByEachCall() {
        Generated work = with(LockKeyGenerator.class, BeanDefinition.SCOPE_PROTOTYPE, this::generator, new Generated());
        work.run();
        work.run();
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly("1", "2");
    }

    @Test
    void aSingletonIsRequestedOnce() {
        Generated work = with(LockKeyGenerator.class, BeanDefinition.SCOPE_SINGLETON, this::generator, new Generated());
        work.run();
        work.run();
        assertThat(locks.requests()).extracting(LockRequest::name).containsExactly("1", "1");
    }

    @Test
    void otherLocksOfAnotherScopeAreRequestedByEachCall() {
        Locked work = with(
                LockOperations.class,
                BeanDefinition.SCOPE_PROTOTYPE,
                () -> {
                    created.incrementAndGet();
                    return locks;
                },
                new Locked());
        work.run();
        assertThat(created).hasValue(1);
        work.run();
        assertThat(created).hasValue(2);
    }

    private LockKeyGenerator generator() {
        int number = created.incrementAndGet();
        return (target, method, arguments) -> number;
    }

    private <B, W> W with(Class<B> type, String scope, Supplier<B> bean, W work) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("named", new RootBeanDefinition(type, scope, bean));
        return new LockedProxies(locks, beans).byClass(work);
    }

    static class Generated {

        @DistributedLocked(keyGenerator = "named")
        public void run() {}
    }

    static class Locked {

        @DistributedLocked(key = "'k'", operations = "named")
        public void run() {}
    }
}
