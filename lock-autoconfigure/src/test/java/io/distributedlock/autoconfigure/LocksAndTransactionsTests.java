/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions of a real database, in two applications on one Redis. */
@ExtendWith(OutputCaptureExtension.class)
class LocksAndTransactionsTests {

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withBean(Stock.class)
            .withPropertyValues(
                    "spring.data.redis.port=" + redis.port(),
                    TestRedis.PATIENT,
                    "spring.datasource.url=jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1",
                    "distributed-lock.wait=20s");

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void emptyTable() {
        application.run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("drop table if exists stock");
            jdbc.execute("create table stock (item int primary key, amount int)");
            jdbc.execute("insert into stock values (1, 0)");
        });
    }

    private static int amount(ApplicationContext context) {
        Integer amount = context.getBean(JdbcTemplate.class)
                .queryForObject("select amount from stock where item = 1", Integer.class);
        return amount == null ? -1 : amount;
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
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

    // ---- a lost lock stops the commit

    @Test
    void aTransactionUnderALockThatWasLostIsRolledBack() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);

            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.addInside(() -> lose(locks)))
                    .satisfies(ex -> assertThat(ex.lockName()).isEqualTo("stock"));

            assertThat(amount(context)).isZero();
            stock.addInside(() -> null);
            assertThat(amount(context)).isOne();
        });
    }

    @Test
    void aTransactionInsideAnExecuteCallWhoseLockWasLostIsRolledBack() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> locks.execute(
                            LockRequest.of("stock"),
                            handle -> transaction(context).execute(status -> {
                                context.getBean(Stock.class).add();
                                return lose(locks);
                            })));
            assertThat(amount(context)).isZero();
        });
    }

    @Test
    void aMethodThatIgnoresTheLossCommits() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            context.getBean(Stock.class).addWhateverHappens(() -> lose(locks));
            assertThat(amount(context)).isOne();
        });
    }

    @Test
    void aTransactionOutsideOfAnyLockIsNotTouched() {
        application.run(context -> {
            transaction(context)
                    .executeWithoutResult(status -> context.getBean(Stock.class).add());
            assertThat(amount(context)).isOne();
        });
    }

    private static @Nullable Object lose(LockOperations locks) {
        LockHandle handle = LockHandle.current().orElseThrow();
        assertThat(locks.forceRelease(handle.name())).isTrue();
        awaitLoss(handle);
        return null;
    }

    private static void awaitLoss(LockHandle handle) {
        await().pollDelay(Duration.ZERO).until(() -> !handle.isHeld());
    }

    @Test
    void aManagerWhoseListenersCannotBeChangedIsGuardedToo() {
        application.withUserConfiguration(OwnManager.class).run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stock.addInside(() -> lose(locks)));
            assertThat(amount(context)).isZero();
            assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
                    .hasSize(2)
                    .contains(OwnManager.LISTENER);
        });
    }

    @Test
    void aManagerThatAcceptsNoListenersIsGuardedToo() {
        application.withUserConfiguration(PlainManager.class).run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);
            assertThat(context.getBeansOfType(PlatformTransactionManager.class)).hasSize(1);

            stock.addInside(() -> null);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> stock.addInside(() -> lose(locks)));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> stock.addInside(() -> {
                        throw new IllegalStateException("on purpose");
                    }));

            assertThat(amount(context)).isOne();
        });
    }

    /** A class that was made by a proxy has final methods, which are not the manager's own. */
    @Test
    void aManagerThatAlreadyHasAProxyIsGuardedToo() {
        application
                .withBean(PlatformTransactionManager.class, () -> {
                    ProxyFactory factory = new ProxyFactory(new PlainManager(
                            new DriverManagerDataSource("jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1", "sa", "")));
                    factory.setProxyTargetClass(true);
                    return (PlatformTransactionManager) factory.getProxy();
                })
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> context.getBean(Stock.class).addInside(() -> lose(locks)));
                });
    }

    /** As an application might write one around another one. */
    static class PlainManager implements PlatformTransactionManager {

        private final PlatformTransactionManager inner;

        PlainManager(DataSource dataSource) {
            inner = new JdbcTransactionManager(dataSource);
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return inner.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            inner.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            inner.rollback(status);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalManager.class, ManagerWithFinalMethod.class})
    void aManagerThatCannotHaveAProxyWorksWithoutOneAndIsReported(
            Class<? extends PlainManager> type, CapturedOutput output) {
        application.withUserConfiguration(type).run(context -> {
            assertThat(context.getBean(type).getClass()).isSameAs(type);
            context.getBean(Stock.class).addInside(() -> null);
            assertThat(amount(context)).isOne();
        });
        assertThat(output.getAll()).contains("its commits are not stopped when a lock was lost");
    }

    static final class FinalManager extends PlainManager {

        FinalManager(DataSource dataSource) {
            super(dataSource);
        }
    }

    static class ManagerWithFinalMethod extends PlainManager {

        ManagerWithFinalMethod(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public final void rollback(TransactionStatus status) {
            super.rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnManager {

        static final TransactionExecutionListener LISTENER = new TransactionExecutionListener() {};

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
            manager.setTransactionExecutionListeners(List.of(LISTENER));
            return manager;
        }
    }

    @Test
    void aLockThatWasTakenBeforeTheCommitIsLookedAtToo() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);
            LockHandle[] handle = new LockHandle[1];
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transaction(context)
                            .executeWithoutResult(status -> beforeCommit(() -> {
                                stock.lockedAdd(() -> {
                                    handle[0] = LockHandle.current().orElseThrow();
                                    return null;
                                });
                                assertThat(locks.forceRelease("stock")).isTrue();
                                awaitLoss(handle[0]);
                            })));
            assertThat(amount(context)).isZero();
        });
    }

    // ---- a lock inside of a transaction is kept until that has completed

    @Test
    void theLockIsKeptUntilTheTransactionAroundHasCommitted() {
        application.run(context -> {
            transaction(context).executeWithoutResult(status -> {
                context.getBean(Stock.class).lockedAdd();
                assertThat(isFree(context)).isFalse();
            });
            assertThat(isFree(context)).isTrue();
            assertThat(amount(context)).isOne();
        });
    }

    @Test
    void aLockIsKeptUntilTheRollbackIfTheMethodFails() {
        application.run(context -> {
            transaction(context).executeWithoutResult(status -> {
                assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> context.getBean(Stock.class).lockedFailure());
                assertThat(isFree(context)).isFalse();
                status.setRollbackOnly();
            });
            assertThat(isFree(context)).isTrue();
            assertThat(amount(context)).isZero();
        });
    }

    @Test
    void aLockThatIsLostBeforeThatCommitStopsIt() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        LockHandle[] handle = new LockHandle[1];
                        context.getBean(Stock.class).lockedAdd(() -> {
                            handle[0] = LockHandle.current().orElseThrow();
                            return null;
                        });
                        assertThat(locks.forceRelease("stock")).isTrue();
                        awaitLoss(handle[0]);
                    }));
            assertThat(amount(context)).isZero();
        });
    }

    @Test
    void keepingTheLockUntilTheTransactionHasCompletedCanBeSwitchedOff() {
        application
                .withPropertyValues("distributed-lock.keep-until-completion=false")
                .run(context -> {
                    transaction(context).executeWithoutResult(status -> {
                        context.getBean(Stock.class).lockedAdd();
                        assertThat(isFree(context)).isTrue();
                    });
                });
    }

    // ---- so is one of execute

    @Test
    void anExecuteCallKeepsItsLockUntilTheTransactionAroundHasCompleted() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            transaction(context).executeWithoutResult(status -> {
                String name = locks.execute(LockRequest.of("stock"), handle -> {
                    context.getBean(Stock.class).add();
                    return LockHandle.current().orElseThrow().name();
                });
                assertThat(name).isEqualTo("stock");
                assertThat(LockHandle.current()).isEmpty();
                assertThat(isFree(context)).isFalse();
            });
            assertThat(isFree(context)).isTrue();
            assertThat(amount(context)).isOne();
        });
    }

    @Test
    void anExecuteCallThatFailsKeepsItsLockUntilTheTransactionAroundHasCompleted() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            transaction(context).executeWithoutResult(status -> {
                assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> locks.execute(LockRequest.of("stock"), handle -> {
                            throw new IllegalStateException("on purpose");
                        }));
                assertThat(isFree(context)).isFalse();
            });
            assertThat(isFree(context)).isTrue();
        });
    }

    @Test
    void aLockOfExecuteThatIsLostBeforeTheCommitStopsIt() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        LockHandle kept = locks.execute(LockRequest.of("stock"), handle -> {
                            context.getBean(Stock.class).add();
                            return handle;
                        });
                        assertThat(locks.forceRelease("stock")).isTrue();
                        awaitLoss(kept);
                    }));
            assertThat(amount(context)).isZero();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transaction(context)
                            .executeWithoutResult(
                                    status -> locks.execute(LockRequest.of("stock"), handle -> lose(locks))))
                    .satisfies(ex -> assertThat(ex.getSuppressed()).isEmpty());
        });
    }

    @Test
    void keepingTheLockOfExecuteCanBeSwitchedOff() {
        application
                .withPropertyValues("distributed-lock.keep-until-completion=false")
                .run(context -> transaction(context).executeWithoutResult(status -> {
                    context.getBean(LockOperations.class).execute(LockRequest.of("stock"), handle -> 1);
                    assertThat(isFree(context)).isTrue();
                }));
    }

    // ---- the guard is optional

    @Test
    void managersAreLeftAloneWithoutTheGuard() {
        application
                .withUserConfiguration(OwnManager.class)
                .withPropertyValues("distributed-lock.transaction.guard=false")
                .run(context -> {
                    assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
                            .containsExactly(OwnManager.LISTENER);
                    LockOperations locks = context.getBean(LockOperations.class);
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> context.getBean(Stock.class).addInside(() -> lose(locks)));
                    assertThat(amount(context)).as("committed").isOne();
                });
    }

    // ---- transactions inside of transactions

    @Test
    void aLockOfATransactionOfItsOwnEndsWithThatTransaction() {
        application.run(context -> {
            transaction(context).executeWithoutResult(status -> {
                context.getBean(Stock.class).addInNewTransaction(() -> {
                    assertThat(isFree(context)).isFalse();
                    return null;
                });
                assertThat(amount(context)).as("committed").isOne();
                assertThat(isFree(context)).isTrue();
                status.setRollbackOnly();
            });
            assertThat(amount(context)).isOne();
        });
    }

    /** Both transactions have the same name. */
    @Test
    void aLockOfATransactionOfItsOwnInsideOneOfTheSameMethodEndsWithThatTransaction() {
        application.run(context -> {
            Stock stock = context.getBean(Stock.class);
            stock.lockedInNewTransaction("other", () -> {
                stock.lockedInNewTransaction("stock", () -> null);
                assertThat(isFree(context)).isTrue();
                return null;
            });
        });
    }

    @Test
    void aLockOfAMethodThatRunsWithoutTheTransactionOfItsCallerEndsWithTheMethod() {
        application.run(context -> {
            transaction(context).executeWithoutResult(status -> {
                context.getBean(Stock.class).addWithoutTransaction();
                assertThat(isFree(context)).isTrue();
                status.setRollbackOnly();
            });
            assertThat(amount(context)).isOne();
        });
    }

    /** The transaction is then further outside than the lock, and it is the one of the method itself. */
    @Test
    void aLockInsideOfATransactionOfItsOwnIsKeptUntilThatHasCommitted() {
        application.withUserConfiguration(TransactionsOutside.class).run(context -> {
            AtomicReference<Boolean> free = new AtomicReference<>();
            transaction(context).executeWithoutResult(status -> {
                context.getBean(Stock.class).addInNewTransaction(() -> {
                    beforeCommit(() -> free.set(isFree(context)));
                    return null;
                });
                assertThat(free).hasValue(false);
                assertThat(isFree(context)).isTrue();
            });
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0, proxyTargetClass = true)
    static class TransactionsOutside {}

    @Test
    void aLossStopsOnlyTheTransactionOfItsOwn() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);
            transaction(context).executeWithoutResult(status -> {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> stock.addInNewTransaction(() -> lose(locks)))
                        .satisfies(ex ->
                                assertThat(ex.getSuppressed()).as("told once").isEmpty());
                assertThat(amount(context)).isZero();
                stock.add();
            });
            assertThat(amount(context)).isOne();
            assertThat(isFree(context)).isTrue();
        });
    }

    /**
     * With propagation SUPPORTS there are synchronizations, but nothing that completes before the method's caller goes
     * on.
     */
    @Test
    void aScopeWithoutATransactionKeepsNothing() {
        application.run(context -> {
            TransactionTemplate scope = transaction(context);
            scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            scope.executeWithoutResult(status -> {
                assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                        .isTrue();
                context.getBean(Stock.class).lockedAdd();
                assertThat(isFree(context)).isTrue();
                context.getBean(LockOperations.class).execute(LockRequest.of("stock"), handle -> 1);
                assertThat(isFree(context)).isTrue();
            });
        });
    }

    @Test
    void aLossOfTheLockAroundStopsATransactionThatSuspendsTheOneInside() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Stock stock = context.getBean(Stock.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> stock.addInside(() -> {
                        lose(locks);
                        TransactionTemplate inner = transaction(context);
                        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                        assertThatExceptionOfType(LockLostException.class)
                                .isThrownBy(() -> inner.executeWithoutResult(status ->
                                        context.getBean(JdbcTemplate.class).update("insert into stock values (2, 0)")));
                        return null;
                    }));
            assertThat(context.getBean(JdbcTemplate.class).queryForList("select amount from stock", Integer.class))
                    .as("nothing of either")
                    .containsExactly(0);
        });
    }

    @Test
    void rollingBackToASavepointReleasesNothing() {
        application.run(context -> {
            transaction(context).executeWithoutResult(status -> {
                TransactionTemplate nested = transaction(context);
                nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
                nested.executeWithoutResult(inner -> {
                    context.getBean(Stock.class).lockedAdd();
                    inner.setRollbackOnly();
                });
                assertThat(amount(context)).isZero();
                assertThat(isFree(context)).isFalse();
                context.getBean(Stock.class).lockedAdd();
            });
            assertThat(isFree(context)).isTrue();
            assertThat(amount(context)).isOne();
        });
    }

    // ---- nothing is lost

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noUpdateIsLostByTwoApplicationsWhoseCommitsTakeTime(boolean lockInside) {
        long seed = Seeds.of("locksAndTransactions.seed");
        application.run(one -> application.run(two -> {
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<CompletableFuture<Void>> work = new ArrayList<>();
                for (int thread = 0; thread < 4; thread++) {
                    AssertableApplicationContext context = thread % 2 == 0 ? one : two;
                    Random random = new Random(seed + thread);
                    work.add(CompletableFuture.runAsync(() -> update(context, lockInside, random), threads));
                }
                CompletableFuture.allOf(work.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
            } finally {
                threads.shutdownNow();
            }
            assertThat(amount(one)).isEqualTo(1_000);
        }));
    }

    private static void update(ApplicationContext context, boolean lockInside, Random random) {
        Stock stock = context.getBean(Stock.class);
        for (int i = 0; i < 250; i++) {
            int queries = random.nextInt(30);
            if (lockInside) {
                transaction(context).executeWithoutResult(status -> {
                    delayCommit(context, queries);
                    stock.lockedAdd();
                });
            } else {
                stock.addInside(() -> {
                    delayCommit(context, queries);
                    return null;
                });
            }
        }
    }

    private static void delayCommit(ApplicationContext context, int queries) {
        beforeCommit(() -> IntStream.range(0, queries).forEach(query -> amount(context)));
    }

    private static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    static class Stock {

        private final JdbcTemplate jdbc;

        Stock(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** Reads and writes in two steps, which is wrong without a lock. */
        void add() {
            Integer amount = jdbc.queryForObject("select amount from stock where item = 1", Integer.class);
            jdbc.update("update stock set amount = ? where item = 1", (amount == null ? 0 : amount) + 1);
        }

        @DistributedLocked("'stock'")
        @Transactional
        public void addInside(Callable<?> more) {
            add();
            call(more);
        }

        @DistributedLocked(key = "'stock'", whenLost = WhenLost.IGNORE)
        @Transactional
        public void addWhateverHappens(Callable<?> more) {
            add();
            call(more);
        }

        @DistributedLocked("'stock'")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void addInNewTransaction(Callable<?> more) {
            add();
            call(more);
        }

        @DistributedLocked("#lock")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void lockedInNewTransaction(String lock, Callable<?> more) {
            call(more);
        }

        @DistributedLocked("'stock'")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void addWithoutTransaction() {
            add();
        }

        @DistributedLocked("'stock'")
        public void lockedAdd() {
            add();
        }

        @DistributedLocked("'stock'")
        public void lockedAdd(Callable<?> more) {
            add();
            call(more);
        }

        @DistributedLocked("'stock'")
        public void lockedFailure() {
            add();
            throw new IllegalStateException("on purpose");
        }

        private static void call(Callable<?> more) {
            try {
                more.call();
            } catch (RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        }
    }
}
