/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.lettuce.core.RedisClient;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ReflectionUtils;

/** What is advised and what is not, and when the locks are asked for. */
class DistributedLockAdvisorTests {

    private final RecordingLocks locks = new RecordingLocks();

    private final DistributedLockAdvisor advisor = advisor();

    private final LockOperationSource source = advisor.source();

    @Test
    void advisesClassesWithLockedMethods() {
        assertThat(AopUtils.canApply(advisor, Locking.class)).isTrue();
        assertThat(AopUtils.canApply(advisor, Object.class)).isFalse();
        assertThat(AopUtils.canApply(advisor, DistributedLockAdvisorTests.class))
                .isFalse();
    }

    @Test
    void doesNotAdviseWhatLocksAreMadeOf() {
        ClassFilter filter = advisor.getPointcut().getClassFilter();
        assertThat(filter.matches(Locking.class)).isTrue();
        assertThat(filter.matches(LockingLocks.class)).isFalse();
        assertThat(filter.matches(StringRedisTemplate.class)).isFalse();
        assertThat(filter.matches(RedisClient.class)).isFalse();
        assertThat(filter.matches(String.class)).isFalse();
        assertThat(AopUtils.canApply(advisor, LockingLocks.class)).isFalse();
    }

    @Test
    void findsTheAnnotationAnywhereInTheHierarchyOfAClass() {
        ClassFilter filter = advisor.getPointcut().getClassFilter();
        Api generated = () -> "lambda";
        assertThat(List.of(
                        Extending.class,
                        Implementing.class,
                        Api.class,
                        SubApi.class,
                        OnType.class,
                        Composed.class,
                        WithPrivateMethod.class,
                        generated.getClass()))
                .allMatch(filter::matches);
        assertThat(filter.matches(Unrelated.class)).isFalse();
    }

    @Test
    void isEqualToItselfOnly() {
        assertThat(advisor.getPointcut())
                .isEqualTo(new LockPointcut(source, advisor.types()))
                .hasSameHashCodeAs(new LockPointcut(source, advisor.types()))
                .isNotEqualTo(advisor().getPointcut())
                .isNotEqualTo("pointcut")
                .hasToString("methods with @DistributedLocked");
        assertThat(advisor.getPointcut().getClassFilter())
                .isEqualTo(new LockPointcut(source, advisor.types()).getClassFilter())
                .hasSameHashCodeAs(new LockPointcut(source, advisor.types()).getClassFilter())
                .isNotEqualTo(advisor().getPointcut().getClassFilter())
                .hasToString("classes with @DistributedLocked");
        assertThat(advisor).isNotEqualTo(advisor());
    }

    @Test
    void looksTheLocksUpOnceAndNotBeforeTheFirstCall() {
        AtomicInteger asked = new AtomicInteger();
        ProxyFactory factory = new ProxyFactory(new Locking());
        factory.addAdvisor(new DistributedLockAdvisor(
                new DefaultListableBeanFactory(),
                () -> {
                    asked.incrementAndGet();
                    return locks;
                },
                0));
        Locking locking = (Locking) factory.getProxy();
        assertThat(asked).hasValue(0);
        locking.run();
        locking.run();
        assertThat(asked).hasValue(1);
        assertThat(locks.requests()).hasSize(2);
    }

    @Test
    void locksAProxyWithoutATarget() {
        ProxyFactory factory = new ProxyFactory();
        factory.addInterface(Api.class);
        factory.addAdvisor(advisor);
        factory.addAdvice((MethodInterceptor) call -> "from advice");
        assertThat(((Api) factory.getProxy()).run()).isEqualTo("from advice");
        assertThat(locks.name()).isEqualTo(Api.class.getName() + ".run()");
    }

    @Test
    void runsAMethodThatIsNotLocked() throws Throwable {
        Method method = ReflectionUtils.findMethod(Locking.class, "free");
        assertThat(new LockAspectSupport(source, () -> locks)
                        .invokeWithinLock(method, Locking.class, new Locking(), new Object[0], () -> "free"))
                .isEqualTo("free");
        assertThat(locks.events()).isEmpty();
    }

    private DistributedLockAdvisor advisor() {
        return new DistributedLockAdvisor(new DefaultListableBeanFactory(), () -> locks, 0);
    }

    interface Api {

        @DistributedLocked
        String run();
    }

    static class Locking {

        @DistributedLocked
        void run() {}

        void free() {}
    }

    abstract static class LockingLocks implements LockOperations {

        @DistributedLocked
        void run() {}
    }

    interface SubApi extends Api {}

    static class Extending extends Locking {}

    abstract static class Implementing implements SubApi {}

    @DistributedLocked
    static class OnType {}

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLocked
    @interface Meta {}

    static class Composed {

        @Meta
        void run() {}
    }

    static class WithPrivateMethod {

        @DistributedLocked
        private void run() {}
    }

    static class Unrelated implements Serializable {

        void run() {}
    }
}
