/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.interceptor.RecordingLocks;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The lock is outside of the transaction and inside of retries: first acquired, last released, by each attempt anew.
 */
class AdviceOrderTests {

    private final List<String> events = new ArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withBean(RecordingLocks.class, () -> new RecordingLocks(events));

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitsTheTransactionBeforeItReleasesTheLock(boolean aspectj) {
        with(aspectj).withUserConfiguration(TransactionConfiguration.class).run(context -> {
            context.getBean(Shop.class).pay(false);
            assertThat(events).containsExactly("acquire", "begin", "run", "commit", "close");
            assertThat(countOf(context.getBean(JdbcTemplate.class))).isOne();
        });
    }

    @Test
    void rollsTheTransactionBackBeforeItReleasesTheLock() {
        runner.withUserConfiguration(TransactionConfiguration.class).run(context -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> context.getBean(Shop.class).pay(true));
            assertThat(events).containsExactly("acquire", "begin", "run", "rollback", "close");
            assertThat(countOf(context.getBean(JdbcTemplate.class))).isZero();
        });
    }

    @Test
    void beginsNoTransactionIfTheLockIsBusy() {
        runner.withUserConfiguration(TransactionConfiguration.class).run(context -> {
            context.getBean(RecordingLocks.class).busy();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> context.getBean(Shop.class).pay(false));
            assertThat(events).containsExactly("acquire");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acquiresAnewForEachAttempt(boolean aspectj) {
        with(aspectj).withUserConfiguration(RetryConfiguration.class).run(context -> {
            context.getBean(Flaky.class).run();
            assertThat(events).containsExactly("acquire", "run 1", "close", "acquire", "run 2", "close");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isInsideOfARetryWithTheSameOrder(boolean aspectj) {
        with(aspectj)
                .withUserConfiguration(SpringRetryLikeConfiguration.class, TransactionConfiguration.class)
                .run(context -> {
                    context.getBean(Shop.class).pay(false);
                    assertThat(events)
                            .containsExactly("attempt", "acquire", "begin", "run", "commit", "close", "attempted");
                });
    }

    /** So a hit takes the lock too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isOutsideOfACache(boolean aspectj) {
        with(aspectj).withUserConfiguration(CacheConfiguration.class).run(context -> {
            context.getBean(Prices.class).price("a");
            context.getBean(Prices.class).price("a");
            assertThat(events).containsExactly("acquire", "run", "close", "acquire", "close");
        });
    }

    @Test
    void isInsideOfACacheThatIsPlacedFurtherOutside() {
        runner.withUserConfiguration(OuterCacheConfiguration.class).run(context -> {
            context.getBean(Prices.class).price("a");
            context.getBean(RecordingLocks.class).busy();
            context.getBean(Prices.class).price("a");
            assertThat(events).containsExactly("acquire", "run", "close");
        });
    }

    @Test
    void isPlacedByTheProperty() {
        runner.withUserConfiguration(SpringRetryLikeConfiguration.class, TransactionConfiguration.class)
                .withPropertyValues("distributed-lock.order=0")
                .run(context -> {
                    context.getBean(Shop.class).pay(false);
                    assertThat(events)
                            .containsExactly("acquire", "attempt", "begin", "run", "commit", "attempted", "close");
                });
    }

    private ApplicationContextRunner with(boolean aspectj) {
        return aspectj ? runner : runner.withClassLoader(new FilteredClassLoader("org.aspectj"));
    }

    private static int countOf(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select count(*) from payment", Integer.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionConfiguration {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource, RecordingLocks locks) {
            return new RecordingTransactionManager(dataSource, locks.events());
        }

        @Bean
        Shop shop(JdbcTemplate jdbc, RecordingLocks locks) {
            jdbc.execute("create table payment (id int)");
            return new Shop(jdbc, locks.events());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class RetryConfiguration {

        @Bean
        Flaky flaky(RecordingLocks locks) {
            return new Flaky(locks.events());
        }
    }

    /** An advisor of the application with the default order of Spring Retry. */
    @Configuration(proxyBeanMethods = false)
    static class SpringRetryLikeConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor retry(ObjectProvider<RecordingLocks> locks) {
            MethodInterceptor advice = call -> {
                locks.getObject().events().add("attempt");
                Object result = call.proceed();
                locks.getObject().events().add("attempted");
                return result;
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(DistributedLocked.class), advice);
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 1);
            return advisor;
        }
    }

    static class RecordingTransactionManager extends JdbcTransactionManager {

        private final transient List<String> events;

        RecordingTransactionManager(DataSource dataSource, List<String> events) {
            super(dataSource);
            this.events = events;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            events.add("begin");
            super.doBegin(transaction, definition);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            super.doCommit(status);
            events.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            super.doRollback(status);
            events.add("rollback");
        }
    }

    public static class Shop {

        private final JdbcTemplate jdbc;

        private final List<String> events;

        Shop(JdbcTemplate jdbc, List<String> events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        @Transactional
        @DistributedLocked
        public void pay(boolean failing) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            jdbc.update("insert into payment values (1)");
            events.add("run");
            if (failing) {
                throw new IllegalStateException("no money");
            }
        }
    }

    public static class Flaky {

        private final List<String> events;

        private int calls;

        Flaky(List<String> events) {
            this.events = events;
        }

        @Retryable(maxRetries = 3, delay = 1)
        @DistributedLocked
        public void run() {
            events.add("run " + ++calls);
            if (calls < 2) {
                throw new IllegalStateException("again");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class CacheConfiguration extends Cached {}

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(order = 0)
    static class OuterCacheConfiguration extends Cached {}

    static class Cached {

        @Bean
        ConcurrentMapCacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        Prices prices(RecordingLocks locks) {
            return new Prices(locks.events());
        }
    }

    public static class Prices {

        private final List<String> events;

        Prices(List<String> events) {
            this.events = events;
        }

        @DistributedLocked("'price:' + #name")
        @Cacheable("prices")
        public String price(String name) {
            events.add("run");
            return "1";
        }
    }
}
