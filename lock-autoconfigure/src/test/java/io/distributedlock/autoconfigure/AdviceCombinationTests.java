/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockAssert;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.interceptor.RecordingLocks;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

/** The lock on methods that other advice of Spring is on too, or that Spring calls by itself. */
class AdviceCombinationTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<String> events = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withBean(RecordingLocks.class, () -> new RecordingLocks(events))
            .withUserConfiguration(Configured.class);

    private static Retried retried(ApplicationContext context, String kind) {
        return kind.equals("framework") ? context.getBean(ByFramework.class) : context.getBean(BySpringRetry.class);
    }

    // ---- retries: outside of the lock

    @ParameterizedTest
    @ValueSource(strings = {"framework", "spring-retry"})
    void aRetryAcquiresAnewAfterABusyLock(String kind) {
        runner.run(context -> {
            context.getBean(RecordingLocks.class).busy();
            assertFails(retried(context, kind)::always, LockNotAcquiredException.class);
            assertThat(events).containsExactly("acquire", "acquire");
        });
    }

    /** The body has run when these are thrown, so a retry of everything runs it twice. */
    @ParameterizedTest
    @ValueSource(strings = {"framework", "spring-retry"})
    void aRetryOfEverythingRunsTheBodyAgainAfterALossAndAnUnconfirmedRelease(String kind) {
        for (RuntimeException failure : new RuntimeException[] {lost(), unconfirmed()}) {
            events.clear();
            runner.run(context -> {
                context.getBean(RecordingLocks.class).failClose(failure);
                assertFails(retried(context, kind)::always, failure.getClass());
                assertThat(events).containsExactly("acquire", "run", "close", "acquire", "run", "close");
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"framework", "spring-retry"})
    void aRetryOfCallsThatHaveNotRunDoesNotRunTheBodyAgain(String kind) {
        for (RuntimeException failure : new RuntimeException[] {lost(), unconfirmed()}) {
            events.clear();
            runner.run(context -> {
                context.getBean(RecordingLocks.class).failClose(failure);
                assertFails(retried(context, kind)::ifNotRun, failure.getClass());
                assertThat(events).containsExactly("acquire", "run", "close");
            });
        }
        events.clear();
        runner.run(context -> {
            context.getBean(RecordingLocks.class).busy();
            assertFails(retried(context, kind)::ifNotRun, LockNotAcquiredException.class);
            assertThat(events).containsExactly("acquire", "acquire");
        });
    }

    private static void assertFails(Runnable call, Class<? extends Throwable> type) {
        assertThatExceptionOfType(type).isThrownBy(call::run);
    }

    private static LockLostException lost() {
        return new LockLostException("k", "lost", Duration.ZERO);
    }

    private static LockReleaseUnconfirmedException unconfirmed() {
        return new LockReleaseUnconfirmedException("k", "not confirmed", null);
    }

    // ---- what else is outside or inside

    @Test
    void aConcurrencyLimitIsOutside() {
        runner.run(context -> {
            assertThat(context.getBean(ByFramework.class).limited()).isEqualTo("done");
            assertThat(events).containsExactly("acquire", "run", "close");
        });
    }

    @Test
    void argumentsAreValidatedUnderTheLock() {
        runner.run(context -> {
            Checked checked = context.getBean(Checked.class);
            assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> checked.save(null));
            assertThat(events).containsExactly("acquire", "close");
        });
    }

    @Test
    void anAsynchronousMethodIsLockedByTheThreadThatRunsIt() {
        runner.run(context -> {
            String caller = Thread.currentThread().getName();
            String thread = context.getBean(Background.class).run().get();
            assertThat(thread).isNotEqualTo(caller);
            assertThat(events).containsExactly("acquireAsync", "run", "close");
        });
    }

    @Test
    void aScheduledMethodIsLockedAndSkippedWhileTheLockIsBusy() {
        runner.withUserConfiguration(Scheduling.class).run(context -> {
            await().atMost(LONG).until(() -> events.size() >= 3);
            assertThat(events).startsWith("tryAcquire", "run", "close");
            context.getBean(RecordingLocks.class).busy();
            await().atMost(LONG)
                    .until(() -> Collections.frequency(events, "tryAcquire") > 3
                            && events.get(events.size() - 1).equals("tryAcquire"));
        });
    }

    @Test
    void aListenerIsLockedInThePublishersThread() {
        runner.run(context -> {
            context.publishEvent(new Paid("a"));
            assertThat(events).containsExactly("acquire", "paid", "close");
            assertThat(context.getBean(RecordingLocks.class).name()).isEqualTo("paid:a");
            context.getBean(RecordingLocks.class).busy();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> context.publishEvent(new Paid("b")));
        });
    }

    /** Its own transaction is inside of its lock; that of the publisher has been committed by then. */
    @Test
    void aListenerAfterTheCommitIsLockedForItself() {
        runner.run(context -> {
            new TransactionTemplate(context.getBean(JdbcTransactionManager.class)).executeWithoutResult(status -> {
                context.publishEvent(new Shipped("a"));
                events.add("publisher done");
            });
            assertThat(events).containsExactly("publisher done", "acquire", "shipped", "close");
        });
    }

    /** It is called while that transaction is being completed, which must not keep a lock that came too late for it. */
    @Test
    void aListenerAfterTheCommitWithoutATransactionOfItsOwnReleasesToo() {
        runner.run(context -> {
            new TransactionTemplate(context.getBean(JdbcTransactionManager.class)).executeWithoutResult(status -> {
                context.publishEvent(new Delivered("a"));
                events.add("publisher done");
            });
            assertThat(events).containsExactly("publisher done", "acquire", "delivered", "close");
        });
    }

    record Paid(String id) {}

    record Delivered(String id) {}

    record Shipped(String id) {}

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    @EnableRetry
    @EnableAsync
    static class Configured {

        @Bean
        static MethodValidationPostProcessor methodValidationPostProcessor() {
            MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
            validation.setProxyTargetClass(true);
            return validation;
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        ByFramework byFramework(RecordingLocks locks) {
            return new ByFramework(locks.events());
        }

        @Bean
        BySpringRetry bySpringRetry(RecordingLocks locks) {
            return new BySpringRetry(locks.events());
        }

        @Bean
        Checked checked(RecordingLocks locks) {
            return new Checked(locks.events());
        }

        @Bean
        Background background(RecordingLocks locks) {
            return new Background(locks.events());
        }

        @Bean
        Listeners listeners(RecordingLocks locks) {
            return new Listeners(locks.events());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {

        @Bean
        Job job(RecordingLocks locks) {
            return new Job(locks.events());
        }
    }

    interface Retried {

        void always();

        void ifNotRun();
    }

    public static class ByFramework implements Retried {

        private final List<String> events;

        ByFramework(List<String> events) {
            this.events = events;
        }

        @Override
        @Retryable(maxRetries = 1, delay = 1)
        @DistributedLocked("'k'")
        public void always() {
            events.add("run");
        }

        @Override
        @Retryable(maxRetries = 1, delay = 1, includes = LockNotAcquiredException.class)
        @DistributedLocked("'k'")
        public void ifNotRun() {
            events.add("run");
        }

        @ConcurrencyLimit(1)
        @DistributedLocked("'k'")
        public String limited() {
            events.add("run");
            return "done";
        }
    }

    public static class BySpringRetry implements Retried {

        private final List<String> events;

        BySpringRetry(List<String> events) {
            this.events = events;
        }

        @Override
        @org.springframework.retry.annotation.Retryable(maxAttempts = 2, backoff = @Backoff(delay = 1))
        @DistributedLocked("'k'")
        public void always() {
            events.add("run");
        }

        @Override
        @org.springframework.retry.annotation.Retryable(
                retryFor = LockNotAcquiredException.class,
                maxAttempts = 2,
                backoff = @Backoff(delay = 1))
        @DistributedLocked("'k'")
        public void ifNotRun() {
            events.add("run");
        }
    }

    @Validated
    public static class Checked {

        private final List<String> events;

        Checked(List<String> events) {
            this.events = events;
        }

        @DistributedLocked("'k'")
        public void save(@NotNull String text) {
            events.add("run");
        }
    }

    public static class Background {

        private final List<String> events;

        Background(List<String> events) {
            this.events = events;
        }

        @Async
        @DistributedLocked("'k'")
        public CompletableFuture<String> run() {
            LockAssert.assertLocked();
            events.add("run");
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    public static class Job {

        private final List<String> events;

        Job(List<String> events) {
            this.events = events;
        }

        @Scheduled(fixedDelay = 5)
        @DistributedLocked(key = "'k'", whenBusy = WhenBusy.SKIP)
        public void run() {
            events.add("run");
        }
    }

    public static class Listeners {

        private final List<String> events;

        Listeners(List<String> events) {
            this.events = events;
        }

        @EventListener
        @DistributedLocked(name = "paid", key = "#event.id")
        public void paid(Paid event) {
            events.add("paid");
        }

        @TransactionalEventListener
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @DistributedLocked(name = "shipped", key = "#event.id")
        public void shipped(Shipped event) {
            events.add("shipped");
        }

        @TransactionalEventListener
        @DistributedLocked(name = "delivered", key = "#event.id")
        public void delivered(Delivered event) {
            events.add("delivered");
        }
    }
}
