/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMonitor;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Transactions of inner locked methods of each kind, whose outer lock is lost. */
class LostOuterLockTests {

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private static final List<String> ENDS = new CopyOnWriteArrayList<>();

    private final Work work = application.bean(Work.class);

    @BeforeEach
    void forget() {
        ENDS.clear();
    }

    @AfterEach
    void leavesNoHandle() {
        assertThat(LockHandle.current()).isEmpty();
    }

    enum Kind {
        BLOCKING {
            @Override
            <T> T run(Work work, String key, Supplier<T> body) {
                return work.blocking(key, body);
            }
        },
        FUTURE {
            @Override
            <T> T run(Work work, String key, Supplier<T> body) {
                return joined(work.future(key, () -> CompletableFuture.completedFuture(body.get())));
            }
        },
        MONO {
            @Override
            <T> T run(Work work, String key, Supplier<T> body) {
                return work.mono(key, () -> Mono.fromSupplier(body)).block(LockedApplication.LONG);
            }
        };

        abstract <T> T run(Work work, String key, Supplier<T> body);

        private static <T> T joined(CompletableFuture<T> future) {
            try {
                return future.join();
            } catch (CompletionException failure) {
                throw (RuntimeException) failure.getCause();
            }
        }
    }

    private static String losing() {
        application.locks().forceRelease("outer");
        await().atMost(LockedApplication.LONG)
                .until(() -> application.bean(LockMonitor.class).activity().held().stream()
                        .noneMatch(hold -> hold.name().equals("outer")));
        return "done";
    }

    @ParameterizedTest
    @CsvSource({"BLOCKING, FUTURE", "BLOCKING, MONO", "FUTURE, FUTURE", "FUTURE, MONO", "MONO, FUTURE", "MONO, MONO"})
    void aTransactionUnderBothIsRolledBack(Kind outer, Kind inner) {
        TransactionTemplate transaction = new TransactionTemplate(application.bean(Transactions.class));
        Supplier<String> body = () -> {
            losing();
            return transaction.execute(status -> "done");
        };
        assertRolledBack(() -> outer.run(work, "outer", () -> inner.run(work, "inner", body)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aReactiveTransactionIsRolledBack(Kind outer) {
        Supplier<Mono<String>> body = () -> Mono.fromSupplier(LostOuterLockTests::losing);
        assertRolledBack(
                () -> outer.run(work, "outer", () -> work.transactional(body).block(LockedApplication.LONG)));
        assertRolledBack(() -> outer.run(
                work, "outer", () -> work.lockedTransaction("inner", body).block(LockedApplication.LONG)));
    }

    /** Spring would commit after a checked exception. */
    @Test
    void aReactiveTransactionThatFailsIsRolledBackToo() {
        IOException failure = new IOException("for the test");
        assertRolledBackAfter(failure, work.mono("outer", () -> work.transactional(() -> losingAnd(failure))));
        assertRolledBackAfter(
                failure,
                work.flux("outer", work.transactionalFlux(losingAnd(failure))).collectList());
    }

    private static Mono<String> losingAnd(Throwable failure) {
        return Mono.fromSupplier(LostOuterLockTests::losing).then(Mono.error(failure));
    }

    private static void assertRolledBackAfter(Throwable failure, Mono<?> call) {
        assertThat(catchThrowable(() -> call.block(LockedApplication.LONG)))
                .isInstanceOf(LockLostException.class)
                .satisfies(loss -> assertThat(loss.getSuppressed()).contains(failure));
        assertThat(ENDS).containsExactly("rollback");
        ENDS.clear();
    }

    /** The loss is an exception that the method does not roll back. */
    @Test
    void aReactiveTransactionThatCommitsAfterExceptionsIsRolledBack() {
        Supplier<Mono<String>> body = () -> Mono.fromSupplier(LostOuterLockTests::losing);
        Mono<String> call = work.mono("outer", () -> work.lenientTransaction(body));
        assertThat(catchThrowable(() -> call.block(LockedApplication.LONG))).isInstanceOf(LockLostException.class);
        assertThat(ENDS).containsExactly("rollback");
    }

    @Test
    void aFailureThatIsNotRolledBackIsCommittedIfTheLossIsIgnored() {
        IllegalStateException failure = new IllegalStateException("for the test");
        Mono<String> call = work.ignoring("outer", () -> work.lenientTransaction(() -> losingAnd(failure)));
        assertThat(catchThrowable(() -> call.block(LockedApplication.LONG))).isSameAs(failure);
        assertThat(ENDS).containsExactly("commit");
    }

    private static void assertRolledBack(ThrowingCallable call) {
        assertThat(catchThrowable(call)).hasStackTraceContaining(LockLostException.class.getName());
        assertThat(ENDS).containsExactly("rollback");
        ENDS.clear();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Transactions transactions() {
            return new Transactions();
        }

        @Bean
        ReactiveTransactions reactiveTransactions() {
            return new ReactiveTransactions();
        }
    }

    static class Work {

        @DistributedLocked(key = "#key", waitUpTo = "60s")
        <T> T blocking(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLocked(key = "#key", waitUpTo = "60s")
        <T> CompletableFuture<T> future(String key, Supplier<CompletableFuture<T>> body) {
            return body.get();
        }

        @DistributedLocked(key = "#key", waitUpTo = "60s")
        <T> Mono<T> mono(String key, Supplier<Mono<T>> body) {
            return body.get();
        }

        @Transactional("reactiveTransactions")
        public Mono<String> transactional(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "#key", waitUpTo = "60s")
        <T> Flux<T> flux(String key, Flux<T> body) {
            return body;
        }

        @DistributedLocked(key = "#key", waitUpTo = "60s", whenLost = WhenLost.IGNORE)
        <T> Mono<T> ignoring(String key, Supplier<Mono<T>> body) {
            return body.get();
        }

        @Transactional("reactiveTransactions")
        public Flux<String> transactionalFlux(Mono<String> body) {
            return body.flux();
        }

        @Transactional(value = "reactiveTransactions", noRollbackFor = RuntimeException.class)
        public Mono<String> lenientTransaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "#key", waitUpTo = "60s")
        @Transactional("reactiveTransactions")
        public Mono<String> lockedTransaction(String key, Supplier<Mono<String>> body) {
            return body.get();
        }
    }

    static class Transactions extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            ENDS.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            ENDS.add("rollback");
        }
    }

    /** Begins on another thread, as those of databases do. */
    static class ReactiveTransactions extends AbstractReactiveTransactionManager {

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.<Void>empty().publishOn(Schedulers.parallel());
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ENDS.add("commit"));
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ENDS.add("rollback"));
        }
    }
}
