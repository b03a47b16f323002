/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.redis.RedisLockTemplate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Applications that put a proxy or another object around the auto-configured locks, or around their connections. */
@ExtendWith(OutputCaptureExtension.class)
class WrappedLocksTests extends AbstractRedisApplicationTests {

    private static final String REDIS = "redisConnectionFactory";

    private final ApplicationContextRunner runner = application()
            .withPropertyValues("distributed-lock.shutdown-grace=0s")
            .withBean(Work.class);

    // ---- aspects

    @ParameterizedTest
    @ValueSource(
            strings = {"spring.aop.auto=true", "spring.aop.proxy-target-class=false", "distributed-lock.enabled=false"})
    void anAspectIsAroundTheLocks(String property) {
        runner.withBean(Tracing.class).withPropertyValues(property).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(AopUtils.isAopProxy(context.getBean(LockOperations.class)))
                    .isTrue();

            assertThat(context.getBean(Work.class).run()).isEqualTo("work");
            assertThat(context.getBean(Tracing.class).traced).contains("acquire");
        });
    }

    @Test
    void locksInAProxyStartAndStopOnce(CapturedOutput output) {
        runner.withBean(Tracing.class).run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThat(locks).isInstanceOf(RedisLockTemplate.class);
            assertThat(output).containsOnlyOnce("Distributed locks: instance");
            assertStopsWith((Lifecycle) context.getSourceApplicationContext(), locks);
        });
    }

    @Aspect
    static class Tracing {

        final List<String> traced = new CopyOnWriteArrayList<>();

        @Around("execution(* io.distributedlock.LockOperations.*(..))")
        Object trace(ProceedingJoinPoint call) throws Throwable {
            traced.add(call.getSignature().getName());
            return call.proceed();
        }
    }

    // ---- post-processors

    @Test
    void locksThatAPostProcessorHasWrappedStartAndStopWithTheApplication(CapturedOutput output) {
        runner.withUserConfiguration(Wrapping.class).run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThat(locks).isInstanceOf(Counting.class).isNotInstanceOf(Lifecycle.class);
            assertThat(output).containsOnlyOnce("Distributed locks: instance");
            assertThat(context.getBean(CreatedLocksLifecycle.class).getPhase())
                    .isEqualTo(((RedisLockTemplate) ((Counting) locks).real).getPhase());
            assertStopsWith((Lifecycle) context.getSourceApplicationContext(), locks);
        });
    }

    @Test
    void locksThatNothingWrapsStartOnce(CapturedOutput output) {
        runner.run(context -> {
            assertThat(output).containsOnlyOnce("Distributed locks: instance");
            assertStopsWith((Lifecycle) context.getSourceApplicationContext(), context.getBean(LockOperations.class));
        });
    }

    private static void assertStopsWith(Lifecycle context, LockOperations locks) {
        LockHandle held = locks.acquire(LockRequest.of("held"));
        context.stop();
        assertThat(held.isHeld()).isFalse();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> locks.acquire(LockRequest.of("other")))
                .withMessageContaining("shutting down");
        context.start();
        locks.acquire(LockRequest.of("other")).close();
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrapping {

        @Bean
        static BeanPostProcessor wrapper() {
            return new BeanPostProcessor() {

                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof RedisLockTemplate locks ? new Counting(locks) : bean;
                }
            };
        }
    }

    // ---- connections

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProxyOfTheConnectionFactoryLeadsToItsRedis(boolean ofTheClass) {
        runner.withBean(ProxiedConnections.class, () -> new ProxiedConnections(ofTheClass))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(AopUtils.isAopProxy(context.getBean(RedisConnectionFactory.class)))
                            .isTrue();
                    assertThat(context.getBean(Work.class).run()).isEqualTo("work");
                });
    }

    /** As libraries for tracing do it, here twice. */
    private record ProxiedConnections(boolean ofTheClass) implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof RedisConnectionFactory ? proxy(proxy(bean)) : bean;
        }

        private Object proxy(Object target) {
            ProxyFactory proxies = new ProxyFactory(target);
            proxies.setProxyTargetClass(ofTheClass);
            return proxies.getProxy();
        }
    }

    /** The object behind a scoped proxy may change, as with the scope that Spring Cloud refreshes. */
    @ParameterizedTest
    @EnumSource(names = {"TARGET_CLASS", "INTERFACES"})
    void aScopedConnectionFactoryLeadsToItsRedis(ScopedProxyMode mode) {
        runner.withInitializer(context -> context.addBeanFactoryPostProcessor(factory -> scope(factory, mode)))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Work.class).run()).isEqualTo("work");
                    assertStopsWith(
                            (Lifecycle) context.getSourceApplicationContext(), context.getBean(LockOperations.class));
                });
    }

    private static void scope(ConfigurableListableBeanFactory factory, ScopedProxyMode mode) {
        factory.registerScope("refresh", new SimpleThreadScope());
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) factory;
        BeanDefinition definition = factory.getBeanDefinition(REDIS);
        definition.setScope("refresh");
        registry.removeBeanDefinition(REDIS);
        registry.registerBeanDefinition(
                REDIS,
                ScopedProxyUtils.createScopedProxy(
                                new BeanDefinitionHolder(definition, REDIS),
                                registry,
                                mode == ScopedProxyMode.TARGET_CLASS)
                        .getBeanDefinition());
    }

    static class Work {

        @DistributedLocked("'work'")
        public String run() {
            return LockHandle.current().orElseThrow().name();
        }
    }
}
