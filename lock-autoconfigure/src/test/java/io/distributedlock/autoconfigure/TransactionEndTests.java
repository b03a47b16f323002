/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that end in some other way than by a commit, and locks that stayed behind then. */
class TransactionEndTests {

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withBean(Transactions.class)
            .withBean(Stock.class)
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port(),
                    TestRedis.PATIENT,
                    "spring.datasource.generate-unique-name=true");

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    /** What happens to a transaction. */
    private enum End {
        COMMIT,
        FAILING_METHOD,
        TIMEOUT,
        FAILING_COMMIT,
        FAILING_BEFORE_COMMIT,
        FAILING_BEFORE_COMPLETION,
        FAILING_AFTER_COMMIT,
        FAILING_AFTER_COMPLETION,
        ANOTHER_ONE_INSIDE;

        private boolean fails() {
            return this != COMMIT
                    && this != ANOTHER_ONE_INSIDE
                    // Spring logs these two.
                    && this != FAILING_BEFORE_COMPLETION
                    && this != FAILING_AFTER_COMPLETION;
        }

        /** Prepares it, in the transaction. */
        private void prepare(ApplicationContext context) {
            switch (this) {
                case FAILING_METHOD -> throw new IllegalStateException("on purpose");
                case TIMEOUT -> queryUntilItFails(context.getBean(JdbcTemplate.class));
                case FAILING_COMMIT -> context.getBean(Transactions.class).failing = true;
                case ANOTHER_ONE_INSIDE ->
                    transaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(status -> {});
                default -> TransactionSynchronizationManager.registerSynchronization(new Failing(this));
            }
        }

        /** As the time-out of the transaction is over. */
        private static void queryUntilItFails(JdbcTemplate database) {
            await().pollInSameThread().until(() -> database.queryForObject("select 1", Integer.class) == null);
        }
    }

    private record Failing(End end) implements TransactionSynchronization {

        private void failAt(End now) {
            if (end == now) {
                throw new IllegalStateException("on purpose");
            }
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            failAt(End.FAILING_BEFORE_COMMIT);
        }

        @Override
        public void beforeCompletion() {
            failAt(End.FAILING_BEFORE_COMPLETION);
        }

        @Override
        public void afterCommit() {
            failAt(End.FAILING_AFTER_COMMIT);
        }

        @Override
        public void afterCompletion(int status) {
            failAt(End.FAILING_AFTER_COMPLETION);
        }
    }

    private static TransactionTemplate transaction(ApplicationContext context, int propagation) {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transaction.setPropagationBehavior(propagation);
        transaction.setTimeout(1);
        return transaction;
    }

    private static boolean isFree(ApplicationContext context) {
        return Background.supply(() -> {
                    LockRequest request = LockRequest.of("stock").noWait();
                    var handle = context.getBean(LockOperations.class).tryAcquire(request);
                    handle.ifPresent(LockHandle::close);
                    return handle.isPresent();
                })
                .join();
    }

    /** The lock was kept for a transaction, and given back only where that was committed. */
    @Test
    void theLockIsReleasedHoweverTheOuterTransactionEnds() {
        application.run(context -> {
            for (End end : End.values()) {
                TransactionTemplate around = transaction(context, TransactionDefinition.PROPAGATION_REQUIRED);
                Throwable failure = catchThrowable(() -> around.executeWithoutResult(status -> {
                    context.getBean(Stock.class).locked();
                    assertThat(isFree(context)).as("free before %s", end).isFalse();
                    end.prepare(context);
                    assertThat(isFree(context)).as("free before %s", end).isFalse();
                }));
                assertEnded(context, end, failure);
            }
        });
    }

    /** The same where the transaction is inside of the lock. */
    @Test
    void theLockIsReleasedHoweverTheInnerTransactionEnds() {
        application.run(context -> {
            for (End end : End.values()) {
                Throwable failure = catchThrowable(
                        () -> context.getBean(Stock.class).lockedWithTransaction(() -> end.prepare(context)));
                assertEnded(context, end, failure);
            }
        });
    }

    private static void assertEnded(ApplicationContext context, End end, @Nullable Throwable failure) {
        assertThat(failure != null).as("%s failed: %s", end, failure).isEqualTo(end.fails());
        assertThat(isFree(context)).as("free after %s", end).isTrue();
        try (RespClient client = redis.connect()) {
            assertThat(client.keys("*")).as("keys after %s", end).isEmpty();
        }
        assertThat(LockHandle.current()).isEmpty();
    }

    static class Transactions extends JdbcTransactionManager {

        private static final long serialVersionUID = 1L;

        boolean failing;

        Transactions(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            if (failing) {
                failing = false;
                throw new TransactionSystemException("on purpose");
            }
            super.doCommit(status);
        }
    }

    static class Stock {

        @DistributedLocked("'stock'")
        public void locked() {}

        @DistributedLocked("'stock'")
        @Transactional(timeout = 1)
        public void lockedWithTransaction(Runnable body) {
            body.run();
        }
    }
}
