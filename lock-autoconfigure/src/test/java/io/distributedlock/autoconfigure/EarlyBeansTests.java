/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.RecordingLocks;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.PriorityOrdered;

/** A bean that is created before its proxy could be would run without its lock. */
class EarlyBeansTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withBean(RecordingLocks.class, RecordingLocks::new);

    enum Need {
        BEAN_FACTORY_POST_PROCESSOR(ForFactory.class),
        REGISTRY_POST_PROCESSOR(ForRegistry.class),
        ORDERED_REGISTRY_POST_PROCESSOR(ForOrderedRegistry.class),
        FIRST_BEAN_POST_PROCESSOR(ForFirst.class);

        private final Class<?> configuration;

        Need(Class<?> configuration) {
            this.configuration = configuration;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBeanThatAPostProcessorDependsOnFailsTheStart(Need need) {
        FailureAnalysis report = FailureReport.of(
                runner.withUserConfiguration(need.configuration).withBean("jobs", Jobs.class));

        assertThat(report.getDescription()).contains("'jobs'", "no proxy that would lock them", Jobs.class.getName());
        assertThat(report.getAction()).contains("ObjectProvider");
    }

    @Test
    void oneThatItRequestsLateIsLocked() {
        runner.withUserConfiguration(Late.class).withBean("jobs", Jobs.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Jobs.class).run();
            assertThat(context.getBean(RecordingLocks.class).requests()).hasSize(1);
        });
    }

    @Test
    void oneWithoutLockedMethodsDoesNotMatter() {
        runner.withUserConfiguration(ForFactory.class)
                .withBean("jobs", Jobs.class, Unlocked::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** As a mock of a test, whose class has the annotations of what it replaces, or an object made by hand. */
    @Test
    void anObjectThatWasRegisteredAsItIsDoesNotMatter() {
        runner.withInitializer(context -> {
                    context.getBeanFactory().registerSingleton("mocked", mock(Jobs.class));
                    context.getBeanFactory().registerSingleton("made", new Jobs());
                })
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Nor does a bean that exists once per use or only later; the check creates none. */
    @Test
    void noBeanIsCreatedForTheCheck() {
        AtomicInteger created = new AtomicInteger();
        runner.withBean(
                        "jobs",
                        Jobs.class,
                        () -> {
                            created.incrementAndGet();
                            return new Jobs();
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(created).hasValue(0);
                    assertThat(AopUtils.isAopProxy(context.getBean(Jobs.class))).isTrue();
                });
    }

    /** The recorder must not keep all beans, which may be prototypes. */
    @Test
    void nothingIsRecordedAfterTheOtherPostProcessors() {
        EarlyBeans early = new EarlyBeans();
        GenericApplicationContext context = new GenericApplicationContext();
        try (context) {
            context.addBeanFactoryPostProcessor(early);
            context.registerBean("jobs", Jobs.class);
            context.registerBean("others", Jobs.class);
            context.addBeanFactoryPostProcessor(factory -> {
                factory.getBean("jobs");
                assertThat(early.end()).containsOnlyKeys("jobs");
            });
            context.refresh();
            assertThat(early.end()).isEmpty();
        }
    }

    public static class Jobs {

        @DistributedLocked
        public void run() {}
    }

    public static class Unlocked extends Jobs {

        @Override
        @DistributedLocked.None
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ForFactory {

        @Bean
        static BeanFactoryPostProcessor early(Jobs jobs) {
            return factory -> {};
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForRegistry {

        @Bean
        static BeanDefinitionRegistryPostProcessor early(Jobs jobs) {
            return new BeanDefinitionRegistryPostProcessor() {
                @Override
                public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {}

                @Override
                public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {}
            };
        }
    }

    /** Created with all other ordered ones, before any of them is called. */
    record OfRegistry(Jobs jobs) implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {

        @Override
        public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {}

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForOrderedRegistry {

        @Bean
        static OfRegistry early(Jobs jobs) {
            return new OfRegistry(jobs);
        }
    }

    record First(Jobs jobs) implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ForFirst {

        @Bean
        static First early(Jobs jobs) {
            return new First(jobs);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Late {

        @Bean
        static BeanFactoryPostProcessor early(ObjectProvider<Jobs> jobs) {
            return factory -> {};
        }
    }
}
