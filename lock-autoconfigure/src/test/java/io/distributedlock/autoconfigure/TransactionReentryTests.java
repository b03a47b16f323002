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
import io.distributedlock.annotation.DistributedLocked;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One lock several times in one transaction, by methods of all return types. */
class TransactionReentryTests {

    private static LockedApplication application;

    private static final List<String> ENDS = new CopyOnWriteArrayList<>();

    private static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

    private static final List<LockHandle> HANDLES = new CopyOnWriteArrayList<>();

    private final Work work = application.bean(Work.class);

    private final TransactionTemplate transaction = new TransactionTemplate(application.bean(Transactions.class));

    private final TransactionalOperator reactive =
            TransactionalOperator.create(application.bean(ReactiveTransactions.class));

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void forget() {
        ENDS.clear();
        TOKENS.clear();
        HANDLES.clear();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
        assertThat(LockHandle.current()).isEmpty();
    }

    /** The kinds of methods, each called to its end. One that waits for itself fails after its wait. */
    enum Kind {
        BLOCKING(Work::blocking),
        FUTURE(work -> work.future().join()),
        MONO(work -> work.mono().block(LockedApplication.LONG)),
        FLUX(work -> work.flux().collectList().block(LockedApplication.LONG)),
        STREAM(work -> {
            try (Stream<Long> stream = work.stream()) {
                assertThat(stream.toList()).hasSize(1);
            }
        }),
        CALLABLE(work -> {
            try {
                work.callable().call();
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        });

        private final Consumer<Work> call;

        Kind(Consumer<Work> call) {
            this.call = call;
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyKindEntersWhatTheTransactionKeeps(Kind kind) {
        transaction.executeWithoutResult(status -> {
            work.blocking();
            kind.call.accept(work);
            for (Kind other : Kind.values()) {
                other.call.accept(work);
            }
            assertThat(application.isHeld("work")).isTrue();
        });
        assertThat(ENDS).containsExactly("commit held=true");
        assertThat(TOKENS).isNotEmpty().allMatch(TOKENS.get(0)::equals);
    }

    /** Its wait is short, as it needs none: the lock is entered without a question. */
    @Test
    void aFutureEntersWhatTheTransactionKeeps() {
        Long token = transaction.execute(status -> {
            work.blocking();
            CompletableFuture<Long> future = work.shortFuture();
            assertThat(future).succeedsWithin(LockedApplication.LONG);
            return future.join();
        });
        assertThat(TOKENS).hasSize(2).allMatch(each -> each.equals(token));
    }

    @ParameterizedTest
    @EnumSource(names = {"STREAM", "CALLABLE"})
    void aSharedLockInATransactionIsKeptUntilItHasCompleted(Kind kind) {
        transaction.executeWithoutResult(status -> {
            kind.call.accept(work);
            work.blocking();
            kind.call.accept(work);
        });
        assertThat(ENDS).containsExactly("commit held=true");
    }

    @Test
    void aStreamThatOutlivesItsTransactionKeepsTheLock() {
        List<Stream<Long>> open = new ArrayList<>();
        transaction.executeWithoutResult(status -> open.add(work.stream()));
        assertThat(application.isHeld("work")).isTrue();
        open.get(0).close();
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void theLossOfTheLockOfAStreamStopsTheCommit() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    work.stream().close();
                    assertThat(application.locks().forceRelease("work")).isTrue();
                    await().atMost(LockedApplication.LONG)
                            .until(() -> !HANDLES.get(HANDLES.size() - 1).isHeld());
                }));
        assertThat(ENDS).containsExactly("rollback held=false");
    }

    @Test
    void aReactiveTransactionEntersWhatItKeeps() {
        Mono<Long> all = work.mono()
                .then(work.mono())
                .thenMany(work.flux().repeat(2))
                .then(work.mono())
                .delayUntil(done -> Mono.fromRunnable(
                        () -> assertThat(application.isHeld("work")).isTrue()));
        Long last = reactive.transactional(all).block(LockedApplication.LONG);
        assertThat(ENDS).containsExactly("commit held=true");
        assertThat(TOKENS).allMatch(last::equals);
    }

    /**
     * The first value comes while the publisher is subscribed to, and the next work begins before that has returned.
     */
    @Test
    void theWorkThatFollowsTheFirstValueOfAReactiveTransactionEntersToo() {
        Mono<Long> both = work.several().next().flatMap(first -> work.shortMono());
        assertThat(reactive.transactional(both).toFuture()).succeedsWithin(LockedApplication.LONG);

        assertThat(TOKENS).hasSize(2).allMatch(TOKENS.get(0)::equals);
    }

    @Test
    void aReactiveTransactionThatTriesAgainEntersToo() {
        Mono<Long> failing = Mono.defer(() -> {
            if (TOKENS.size() < 4) {
                throw new IllegalStateException("on purpose");
            }
            return Mono.just(1L);
        });
        reactive.transactional(work.mono().then(failing).retry(5)).block(LockedApplication.LONG);
        assertThat(TOKENS).hasSize(4).allMatch(TOKENS.get(0)::equals);
        assertThat(ENDS).containsExactly("commit held=true");
    }

    @Configuration(proxyBeanMethods = false)
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

        private long token() {
            LockHandle handle = LockHandle.current().orElseThrow();
            HANDLES.add(handle);
            TOKENS.add(handle.fencingToken());
            return handle.fencingToken();
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public void blocking() {
            token();
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public CompletableFuture<Long> future() {
            return CompletableFuture.completedFuture(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "1s")
        public CompletableFuture<Long> shortFuture() {
            return CompletableFuture.completedFuture(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public Mono<Long> mono() {
            return Mono.just(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "1s")
        public Mono<Long> shortMono() {
            return Mono.just(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public Flux<Long> flux() {
            return Flux.just(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public Flux<Long> several() {
            return Flux.just(token(), 2L, 3L);
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public Stream<Long> stream() {
            return Stream.of(token());
        }

        @DistributedLocked(key = "'work'", waitUpTo = "60s")
        public Callable<Long> callable() {
            return this::token;
        }
    }

    /** Writes down how its transactions end, and whether the lock was still held then. */
    static class Transactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            ENDS.clear();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            ENDS.add("commit held=" + application.isHeld("work"));
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            ENDS.add("rollback held=" + application.isHeld("work"));
        }
    }

    static class ReactiveTransactions extends AbstractReactiveTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return new Object();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ENDS.add("commit held=" + application.isHeld("work")));
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ENDS.add("rollback held=" + application.isHeld("work")));
        }
    }
}
