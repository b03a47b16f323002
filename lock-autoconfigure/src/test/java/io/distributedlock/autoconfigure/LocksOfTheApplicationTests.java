/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.redis.RedisLockTemplate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Which locks there are if the application has several Redis servers, wraps the locks, or has a context in a context.
 */
class LocksOfTheApplicationTests extends AbstractRedisApplicationTests {

    private final ApplicationContextRunner runner = application();

    private final List<ConfigurableApplicationContext> parents = new ArrayList<>();

    // ---- in front of the locks

    @Test
    void aPrimaryBeanIsInFrontOfTheLocksInRedis() {
        runner.withUserConfiguration(Decorated.class).withBean(Work.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(RedisLockTemplate.class);
            Counting counting = context.getBean(Counting.class);
            assertThat(counting.real).isInstanceOf(RedisLockTemplate.class);
            assertThat(context.getBean(LockOperations.class)).isSameAs(counting);

            assertThat(context.getBean(Work.class).run()).isEqualTo("work");
            assertThat(counting.count).isOne();
        });
    }

    @Test
    void aPrimaryBeanThatNeedsNoRedisHasNone() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withBean(RecordingLocks.class, RecordingLocks::new, bean -> bean.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class));
    }

    @Test
    void aBeanThatIsOnlyUsedByNameReplacesNoOtherBean() {
        runner.withUserConfiguration(OnlyByName.class).withBean(Work.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(RedisLockTemplate.class);
            context.getBean(Work.class).run();
            assertThat(context.getBean("special", RecordingLocks.class).events())
                    .isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {

        @Bean
        @Primary
        Counting counting(LockOperations real) {
            return new Counting(real);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyByName {

        @Bean(defaultCandidate = false)
        RecordingLocks special() {
            return new RecordingLocks();
        }
    }

    // ---- several Redis servers

    @Test
    void aPropertyNamesTheConnectionFactory() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withUserConfiguration(TwoServers.class)
                .withPropertyValues(
                        "distributed-lock.connection-factory=forLocks", "distributed-lock.wait=0", TestRedis.PATIENT)
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    try (LockHandle handle = locks.acquire(LockRequest.of("one"))) {
                        assertThat(handle.isHeld()).isTrue();
                    }
                });
    }

    /** As a placeholder with an empty default. */
    @Test
    void anEmptyNameIsNone() {
        runner.withPropertyValues("distributed-lock.connection-factory=")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void anUnknownBeanNameFailsTheStart() {
        FailureAnalysis analysis = FailureReport.of(new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withUserConfiguration(TwoServers.class)
                .withPropertyValues("distributed-lock.connection-factory=forLokcs"));
        assertThat(analysis.getDescription())
                .isEqualTo(
                        "Distributed locks cannot work: distributed-lock.connection-factory names the bean 'forLokcs',"
                                + " and there is no RedisConnectionFactory bean of that name. Known are: cache,"
                                + " forLocks.");
        assertThat(analysis.getAction()).startsWith("Correct the name");
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoServers {

        @Bean
        @Primary
        LettuceConnectionFactory cache() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", 1));
        }

        @Bean
        LettuceConnectionFactory forLocks() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", redis.port()));
        }
    }

    // ---- a context in a context

    @Test
    void beansOfParentAndChildAreLockedByTheSameLocks() {
        try (ConfigurableApplicationContext child = hierarchy(Child.class)) {
            ConfigurableApplicationContext parent = (ConfigurableApplicationContext) child.getParent();
            assertThat(parent.getBean("work", Work.class).run()).isEqualTo("work");
            assertThat(child.getBean("childWork", Work.class).run()).isEqualTo("work");
            assertThat(child.getBean(RedisLockTemplate.class)).isSameAs(parent.getBean(RedisLockTemplate.class));
            assertThat(child.getBeanFactory().containsLocalBean("redisLockTemplate"))
                    .isFalse();
        }
    }

    /** The one of the parent has another name. */
    @Test
    void aChildMayHaveAnAdvisorOfItsOwn() {
        try (ConfigurableApplicationContext child = hierarchy(AdvisingChild.class)) {
            Work work = child.getBean("childWork", Work.class);
            assertThat(work.run()).isEqualTo("work");
            assertThat(((Advised) work).getAdvisors())
                    .filteredOn(DistributedLockAdvisor.class::isInstance)
                    .containsExactly(child.getBean("ownAdvisor", DistributedLockAdvisor.class));
            assertThat(child.getParent().getBean("work", Work.class).run()).isEqualTo("work");
        }
    }

    @Test
    void aParentMayHaveAnAdvisorOfItsOwn() {
        runner.withUserConfiguration(AdvisingChild.class)
                .run(parent -> runner.withParent(parent)
                        .withBean("grandchildWork", Work.class)
                        .run(child -> assertThat(((Advised) child.getBean("grandchildWork")).getAdvisors())
                                .filteredOn(DistributedLockAdvisor.class::isInstance)
                                .containsExactly(
                                        child.getBean("distributedLockAdvisor", DistributedLockAdvisor.class))));
    }

    @Test
    void beansInKeysAreThoseOfTheContext() {
        try (ConfigurableApplicationContext child = hierarchy(Child.class)) {
            assertThat(child.getParent().getBean("tenantWork", TenantWork.class).run())
                    .isEqualTo("parent");
            assertThat(child.getBean("childTenantWork", TenantWork.class).run()).isEqualTo("child");
        }
    }

    @Test
    void aDecoratorInAChildIsInFrontOfTheLocksOfItsParent() {
        try (ConfigurableApplicationContext child = hierarchy(DecoratingChild.class)) {
            assertThat(child.getBean("childWork", Work.class).run()).isEqualTo("work");
            assertThat(child.getBean(Counting.class).count).isOne();
            assertThat(child.getParent().getBean("work", Work.class).run()).isEqualTo("work");
            assertThat(child.getBean(Counting.class).count).isOne();
        }
    }

    @Test
    void aBeanOfAParentThatIsOnlyUsedByNameReplacesNoOtherBean() {
        new ApplicationContextRunner()
                .withUserConfiguration(OnlyByName.class)
                .run(parent -> runner.withParent(parent).withBean(Work.class).run(child -> {
                    assertThat(child).hasNotFailed().hasSingleBean(RedisLockTemplate.class);
                    child.getBean(Work.class).run();
                    assertThat(parent.getBean("special", RecordingLocks.class).events())
                            .isEmpty();
                }));
    }

    private ConfigurableApplicationContext hierarchy(Class<?> child) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Parent.class)
                .web(WebApplicationType.NONE)
                .properties("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT, "spring.main.banner-mode=off")
                .child(child)
                .web(WebApplicationType.NONE)
                .run();
        parents.add((ConfigurableApplicationContext) context.getParent());
        return context;
    }

    /** A child that is closed leaves its parent open. */
    @AfterEach
    void closeParents() {
        parents.forEach(ConfigurableApplicationContext::close);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        PropertyPlaceholderAutoConfiguration.class,
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class
    })
    static class Parent {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        TenantWork tenantWork() {
            return new TenantWork();
        }

        @Bean
        Tenant tenant() {
            return new Tenant("parent");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        PropertyPlaceholderAutoConfiguration.class,
        AopAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DistributedLockAutoConfiguration.class
    })
    static class Child {

        @Bean
        Work childWork() {
            return new Work();
        }

        @Bean
        TenantWork childTenantWork() {
            return new TenantWork();
        }

        @Bean
        Tenant tenant() {
            return new Tenant("child");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DecoratingChild extends Child {

        @Bean
        @Primary
        Counting counting(LockOperations real) {
            return new Counting(real);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AdvisingChild extends Child {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DistributedLockAdvisor ownAdvisor(ConfigurableListableBeanFactory beans) {
            return new DistributedLockAdvisor(beans, () -> beans.getBean(LockOperations.class), 7);
        }
    }

    static class Work {

        @DistributedLocked("'work'")
        public String run() {
            return LockHandle.current().orElseThrow().name();
        }
    }

    record Tenant(String id) {}

    static class TenantWork {

        @DistributedLocked("@tenant.id")
        public String run() {
            return LockHandle.current().orElseThrow().name();
        }
    }
}
