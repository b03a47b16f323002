/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.transaction.CommitGuardInstaller;
import io.distributedlock.transaction.ReactiveCommitGuard;
import io.lettuce.core.RedisClient;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;

/** What the starter brings, what takes its place, and the message for an application without Redis. */
@ExtendWith(OutputCaptureExtension.class)
class DistributedLockAutoConfigurationTests {

    /** Nothing listens there: a start that needs Redis would fail. */
    private static final String NO_REDIS = "spring.data.redis.port=1";

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    PropertyPlaceholderAutoConfiguration.class,
                    AopAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class));

    private final ApplicationContextRunner runner = bare.withConfiguration(
                    AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withPropertyValues(NO_REDIS);

    @Test
    void providesATemplateEvenIfRedisIsDown() {
        runner.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class);
            assertThat(context.getBean(LockOperations.class)).isInstanceOf(RedisLockTemplate.class);
            assertThat(context.getBean(RedisLockTemplate.class).isRunning()).isTrue();
        });
    }

    @Test
    void isFoundByBoot() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(NO_REDIS)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RedisLockTemplate.class)
                        .hasSingleBean(DistributedLockAdvisor.class));
    }

    /** Each text that the binder accepts for true: without the guard, a late transaction would commit. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "on", "yes", "1"})
    void isSwitchedOnByEachTextForTrue(String on) {
        runner.withPropertyValues("distributed-lock.enabled=" + on, "distributed-lock.transaction.guard=" + on)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RedisLockTemplate.class)
                        .hasSingleBean(CommitGuardInstaller.class)
                        .hasSingleBean(ReactiveCommitGuard.class));
    }

    @Test
    void usesTheFactoryOfVirtualThreads() {
        runner.withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockTemplate.class));
    }

    @Test
    void startsTheTemplateAlsoIfBeansAreLazy() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getSourceApplicationContext()
                                .getAutowireCapableBeanFactory()
                                .getBean(RedisLockTemplate.class)
                                .isRunning())
                        .isTrue());
    }

    @Test
    void backsOffForLocksOfTheApplication() {
        runner.withUserConfiguration(OwnLocks.class).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockTemplate.class);
            context.getBean(Service.class).run();
            assertThat(context.getBean(RecordingLocks.class).events()).containsExactly("acquire", "close");
        });
    }

    @Test
    void needsNoLocksUnusableOfTheApplication() {
        bare.withUserConfiguration(OwnLocks.class)
                .withClassLoader(new FilteredClassLoader("io.lettuce", "org.springframework.data.redis"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LockOperations.class));
    }

    @Test
    void backsOffForAnAdvisorOfTheApplication() {
        runner.withUserConfiguration(OwnLocks.class, OwnAdvisor.class).run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .getBeans(DistributedLockAdvisor.class)
                    .hasSize(1)
                    .containsKey("own");
        });
    }

    /** Without AspectJ, only an advisor with this role is applied. */
    @Test
    void anAdvisorOfTheApplicationIsInfrastructure() {
        runner.withUserConfiguration(OwnLocks.class, OwnAdvisor.class)
                .run(context -> assertThat(context.getBeanFactory()
                                .getBeanDefinition("own")
                                .getRole())
                        .isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE));
    }

    @Test
    void placesTheAdviceByTheProperty() {
        runner.run(context -> assertThat(
                        context.getBean(DistributedLockAdvisor.class).getOrder())
                .isEqualTo(Ordered.LOWEST_PRECEDENCE - 1));
        runner.withPropertyValues("distributed-lock.order=7")
                .run(context -> assertThat(
                                context.getBean(DistributedLockAdvisor.class).getOrder())
                        .isEqualTo(7));
    }

    @Test
    void reportsThatLettuceIsMissing() {
        for (FilteredClassLoader without : new FilteredClassLoader[] {
            new FilteredClassLoader(RedisClient.class),
            new FilteredClassLoader("io.lettuce"),
            new FilteredClassLoader(RedisOperations.class, LettuceConnectionFactory.class),
            new FilteredClassLoader(
                    "io.lettuce", "org.springframework.data.redis", "org.springframework.boot.data.redis")
        }) {
            verify(bare.withClassLoader(without), analysis -> {
                assertThat(analysis.getDescription())
                        .isEqualTo("Distributed locks cannot work: Lettuce, the Redis client they use, is not on"
                                + " the class path.");
                assertThat(analysis.getAction())
                        .startsWith("Add the dependency org.springframework.boot:spring-boot-starter-data-redis")
                        .endsWith("set distributed-lock.enabled=false.");
            });
        }
    }

    @Test
    void reportsThatThereIsNoConnectionFactory() {
        verify(bare, analysis -> {
            assertThat(analysis.getDescription())
                    .isEqualTo("Distributed locks cannot work: there is no RedisConnectionFactory bean.");
            assertThat(analysis.getAction())
                    .contains("define a LettuceConnectionFactory bean, or define a LockOperations bean of your own.");
        });
    }

    @Test
    void reportsThatTheConnectionFactoryIsNotOfLettuce() {
        verify(bare.withUserConfiguration(OtherFactory.class), analysis -> {
            assertThat(analysis.getDescription()).contains("they need a LettuceConnectionFactory");
            assertThat(analysis.getAction())
                    .startsWith("Define a LettuceConnectionFactory bean and name it by distributed-lock.connection");
        });
    }

    @Test
    void usesThePrimaryOfSeveralConnectionFactories() {
        bare.withUserConfiguration(PrimaryFactory.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockTemplate.class));
    }

    @Test
    void reportsSeveralConnectionFactories() {
        verify(bare.withUserConfiguration(SeveralFactories.class), analysis -> {
            assertThat(analysis.getDescription())
                    .contains("several RedisConnectionFactory beans")
                    .contains("first, second");
            assertThat(analysis.getAction()).startsWith("Mark the one that the locks are to use as @Primary");
        });
    }

    @Test
    void reportsSeveralLockOperations() {
        ApplicationContextRunner several =
                bare.withUserConfiguration(OwnLocks.class).withBean("more", RecordingLocks.class, RecordingLocks::new);
        verify(several, analysis -> {
            assertThat(analysis.getDescription())
                    .contains("several LockOperations beans")
                    .contains("[more, locks]");
            assertThat(analysis.getAction()).startsWith("Mark the one for annotated methods as @Primary");
        });
        several.withBean("primary", RecordingLocks.class, RecordingLocks::new, bean -> bean.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void replicasOfAClusterMayAcknowledge() {
        bare.withUserConfiguration(ClusterFactory.class)
                .withPropertyValues("distributed-lock.replicas.acknowledge=1", "distributed-lock.command-timeout=2s")
                .run(context -> assertThat(context).hasSingleBean(RedisLockTemplate.class));
    }

    @Test
    void reportsAnUnknownRedisAddress() {
        verify(bare.withUserConfiguration(UnknownFactory.class), analysis -> {
            assertThat(analysis.getDescription()).contains("cannot determine the address of Redis");
            assertThat(analysis.getDescription()).contains("UnknownConfiguration");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "lease, 0, must be from 10ms to 365d",
        "lease, -1s, must be from 10ms to 365d",
        "lease, 9ms, must be from 10ms to 365d",
        "lease, 366d, must be from 10ms to 365d",
        "max-hold, 0, must be at least 10ms",
        "max-hold, -5s, must be at least 10ms",
        "max-hold, 9ms, must be at least 10ms",
        "command-timeout, 0s, must be positive",
        "command-timeout, -1ms, must be positive",
        "command-timeout, 25h, must be at most 1d",
        "shutdown-grace, -1s, must not be negative",
        "fairness.max-passes, -1, must not be negative",
        "fairness.max-batch, -1ms, must not be negative",
        "replicas.acknowledge, -1, must not be negative",
        "replicas.timeout, 0s, must be at least 1ms",
        "key-prefix, a{b, must not contain braces",
        "key-prefix, a}b, must not contain braces",
        "key-prefix, ${no.such}, has a placeholder that cannot be resolved"
    })
    void quotesAPropertyThatMakesNoSense(String property, String value, String rule) {
        verify(runner.withPropertyValues("distributed-lock." + property + "=" + value), analysis -> {
            assertThat(analysis.getDescription())
                    .startsWith("The property 'distributed-lock." + property + "' " + rule + ", but its value is '"
                            + value + "' (\"distributed-lock." + property + "\" from property source");
            assertThat(analysis.getAction()).contains("Change the property 'distributed-lock." + property + "'");
        });
    }

    @Test
    void namesADefaultThatDoesNotFitOtherProperties() {
        verify(
                runner.withPropertyValues("distributed-lock.replicas.acknowledge=1", "distributed-lock.lease=2s"),
                analysis -> {
                    assertThat(analysis.getDescription())
                            .isEqualTo("The property 'distributed-lock.replicas.timeout' must be at most a third of"
                                    + " distributed-lock.lease, which its default does not fulfil.");
                    assertThat(analysis.getAction()).isEqualTo("Set the property 'distributed-lock.replicas.timeout'.");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "lease, 30parsecs",
        "lease, ${no.such}",
        "wait, soon",
        "max-hold, 1x",
        "order, first",
        "command-timeout, ${no.such}",
        "fairness.max-passes, many",
        "shutdown-grace, never",
    })
    void quotesAPropertyThatCannotBeRead(String property, String value) {
        verify(
                runner.withPropertyValues("distributed-lock." + property + "=" + value),
                analysis -> assertThat(analysis.getDescription())
                        .contains("Property: distributed-lock." + property, "Value: \"" + value + "\""));
    }

    @Test
    void quotesAPropertyAlsoIfTheApplicationHasItsOwnLocks() {
        verify(
                bare.withUserConfiguration(OwnLocks.class).withPropertyValues("distributed-lock.lease=1ms"),
                analysis -> assertThat(analysis.getDescription()).contains("'1ms'"));
    }

    @Test
    void quotesAnAnnotationThatMakesNoSense() {
        verify(runner.withBean(WrongLease.class), analysis -> {
            assertThat(analysis.getDescription())
                    .isEqualTo("@DistributedLocked(lease = \"30parsecs\") on " + WrongLease.class.getName()
                            + "#run(): the value \"30parsecs\" has the unknown unit \"parsecs\".");
            assertThat(analysis.getAction()).isEqualTo("Write it like \"30s\", \"500ms\" or \"PT30S\".");
        });
    }

    @Test
    void quotesAPlaceholderOfAnAnnotation() {
        verify(
                runner.withBean(Placeholder.class),
                analysis -> assertThat(analysis.getDescription())
                        .isEqualTo("@DistributedLocked(lease = \"${no.such}\") on " + Placeholder.class.getName()
                                + "#run(): a placeholder in it cannot be resolved."));
        runner.withBean(Placeholder.class)
                .withPropertyValues("no.such=3s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void createsNoBeanTooEarly(CapturedOutput output) {
        runner.withBean(Service.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("not eligible");
    }

    private static void verify(ApplicationContextRunner failing, Consumer<FailureAnalysis> assertions) {
        assertions.accept(FailureReport.of(failing));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    public static class Service {

        @DistributedLocked
        public void run() {}
    }

    static class WrongLease {

        @DistributedLocked(lease = "30parsecs")
        void run() {}
    }

    static class Placeholder {

        @DistributedLocked(lease = "${no.such}")
        void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLocks {

        @Bean
        RecordingLocks locks() {
            return new RecordingLocks();
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAdvisor {

        @Bean
        static DistributedLockAdvisor own(ConfigurableBeanFactory beanFactory, ObjectProvider<LockOperations> locks) {
            return new DistributedLockAdvisor(beanFactory, locks::getObject, 3);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherFactory {

        @Bean
        RedisConnectionFactory jedis() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryFactory {

        @Bean
        RedisConnectionFactory jedis() {
            return mock(RedisConnectionFactory.class);
        }

        @Bean
        @Primary
        LettuceConnectionFactory lettuce() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("localhost", 1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SeveralFactories {

        @Bean
        LettuceConnectionFactory first() {
            return new LettuceConnectionFactory();
        }

        @Bean
        LettuceConnectionFactory second() {
            return new LettuceConnectionFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ClusterFactory {

        @Bean
        LettuceConnectionFactory cluster() {
            return new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("localhost:1")));
        }
    }

    /** Of a kind that does not exist yet. */
    static class UnknownConfiguration implements RedisConfiguration {}

    @Configuration(proxyBeanMethods = false)
    static class UnknownFactory {

        @Bean
        LettuceConnectionFactory unknown() {
            return new LettuceConnectionFactory(new UnknownConfiguration());
        }
    }
}
