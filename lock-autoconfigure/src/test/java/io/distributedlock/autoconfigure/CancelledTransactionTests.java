/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.interceptor.RecordingLocks;
import io.distributedlock.transaction.ReactiveCommitGuard;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Reactive transactions that no operator waits for, since they were cancelled, under a lock. */
class CancelledTransactionTests {

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final Transactions transactions = application.bean(Transactions.class);

    private final AtomicBoolean working = new AtomicBoolean();

    private final Sinks.Empty<Void> ending = Sinks.empty();

    @BeforeAll
    static void start() {
        application = new LockedApplication(Configured.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void waitAtTheEnd() {
        transactions.log.clear();
        transactions.ending = ending.asMono();
        transactions.beginning = Mono.empty();
    }

    @AfterEach
    void leavesNothing() {
        ending.tryEmitEmpty();
        application.awaitNoKeys();
    }

    private void awaitLogged(String entry) {
        await().atMost(LockedApplication.LONG).until(() -> transactions.log.contains(entry));
    }

    /** Work that ends when it is cancelled. */
    private <T> Mono<T> endless() {
        return Mono.<T>never().doOnSubscribe(subscription -> working.set(true));
    }

    private void awaitWorking() {
        await().atMost(LockedApplication.LONG).untilTrue(working);
    }

    /** The lock is held until the transaction, which waits, ends. */
    private void assertHeldUntilItEnds(String how) {
        awaitLogged(how);
        assertThat(application.isHeld("work")).isTrue();
        ending.tryEmitEmpty();
        application.awaitFree("work");
        assertThat(transactions.log).containsExactly("begin", how, how + " done, held=true");
    }

    @Test
    void aCancellationRollsBackUnderTheLock() {
        Disposable subscription = work.transaction(this::endless).subscribe();
        awaitWorking();
        subscription.dispose();
        assertHeldUntilItEnds("rollback");
    }

    @Test
    void anOperatorThatCancelsDoesNotReleaseBeforeTheTransactionHasEnded() {
        assertThat(work.values(Flux.just(1, 2).concatWith(Flux.never())).next().block(LockedApplication.LONG))
                .isOne();
        assertHeldUntilItEnds("rollback");
    }

    @Test
    void aCancellationDuringTheCommitDoesNotRelease() {
        Disposable subscription = work.transaction(() -> Mono.just("done")).subscribe();
        awaitLogged("commit");
        subscription.dispose();
        assertHeldUntilItEnds("commit");
    }

    @Test
    void anOperatorInsideOfTheMethodThatCancelsDelaysItsEnd() {
        CompletableFuture<Integer> first = work.locked(
                        () -> work.unlockedValues(Flux.just(1, 2).concatWith(Flux.never()))
                                .next())
                .toFuture();
        awaitLogged("rollback");
        assertThat(first).isNotDone();
        assertHeldUntilItEnds("rollback");
        assertThat(first.join()).isOne();
    }

    @Test
    void aTransactionThatHasNotBegunIsNotWaitedFor() {
        Sinks.Empty<Void> beginning = Sinks.empty();
        transactions.beginning = beginning.asMono();
        Disposable subscription = work.transaction(this::endless).subscribe();
        awaitLogged("begin");
        subscription.dispose();
        application.awaitFree("work");
        assertThat(transactions.log).containsExactly("begin");
    }

    @Test
    void eachOfSeveralTransactionsIsWaitedFor() {
        Disposable subscription = work.transaction(
                        () -> work.unlocked(() -> Mono.just("first")).then(work.nested(this::endless)))
                .subscribe();
        awaitWorking();
        subscription.dispose();
        awaitLogged("rollback");
        assertThat(application.isHeld("work")).isTrue();
        ending.tryEmitEmpty();
        application.awaitFree("work");
        assertThat(transactions.log)
                .filteredOn(entry -> entry.contains("done"))
                .containsExactly("rollback done, held=true", "rollback done, held=true");
    }

    @Test
    void aTransactionOfItsOwnIsWaitedForWithTheLockThatATransactionAroundItKeeps() {
        Disposable subscription = transactions
                .operator()
                .transactional(work.locked(() -> work.nested(this::endless)))
                .subscribe();
        awaitWorking();
        subscription.dispose();
        awaitLogged("rollback");
        assertThat(application.isHeld("work")).isTrue();
        ending.tryEmitEmpty();
        application.awaitFree("work");
        assertThat(transactions.log)
                .filteredOn(entry -> entry.contains("done"))
                .containsExactly("rollback done, held=true", "rollback done, held=true");
    }

    @Test
    void aCancelledFutureKeepsTheLockUntilItsTransactionHasEnded() {
        CompletableFuture<String> result =
                work.future(() -> work.unlocked(this::<String>endless).toFuture());
        awaitWorking();
        result.cancel(true);
        assertHeldUntilItEnds("rollback");
    }

    @Test
    void theCallerDoesNotWaitForATransactionAfterTheLossOfTheLock() {
        Sinks.Empty<Void> enough = Sinks.empty();
        CompletableFuture<String> result = work.locked(
                        () -> work.unlocked(this::<String>endless).takeUntilOther(enough.asMono()))
                .toFuture();
        awaitWorking();
        enough.tryEmitEmpty();
        awaitLogged("rollback");
        assertThat(result).isNotDone();
        application.locks().forceRelease("work");
        assertThat(catchThrowable(result::join)).hasCauseInstanceOf(LockLostException.class);
        ending.tryEmitEmpty();
        awaitLogged("rollback done, held=false");
    }

    @Test
    void aLossThatCancelsIsReportedAtOnce() {
        CompletableFuture<String> result = work.interrupted(this::endless).toFuture();
        awaitWorking();
        application.locks().forceRelease("work");
        assertThat(catchThrowable(result::join)).hasCauseInstanceOf(LockLostException.class);
        awaitLogged("rollback");
        ending.tryEmitEmpty();
        awaitLogged("rollback done, held=false");
    }

    @Test
    void aBodyDoesNotReleaseBeforeATransactionOfItsMethodHasEnded() {
        Mono<ResponseEntity<Mono<String>>> response =
                work.locked(() -> work.unlockedValues(Flux.just(1, 2).concatWith(Flux.never()))
                        .next()
                        .map(first -> ResponseEntity.ok(Mono.just("body"))));
        CompletableFuture<String> body =
                response.flatMap(ResponseEntity::getBody).toFuture();
        awaitLogged("rollback");
        assertThat(body).isNotDone();
        assertHeldUntilItEnds("rollback");
        assertThat(body.join()).isEqualTo("body");
    }

    /** Its end would wait for the transaction, which waits for it. */
    @Test
    void aBodyInsideOfATransactionDoesNotWaitForIt() {
        ending.tryEmitEmpty();
        Mono<String> body = Mono.defer(() -> work.unlocked(() -> Mono.just("done")));
        Mono<String> done =
                work.response(body).flatMap(response -> transactions.operator().transactional(response.getBody()));
        assertThat(done.block(LockedApplication.LONG)).isEqualTo("done");
        assertThat(transactions.log).containsExactly("begin", "commit", "commit done, held=false");
    }

    /** The same for the lock of a thread, by which a method of the transaction has been called. */
    @Test
    void aFutureInsideOfATransactionDoesNotWaitForIt() {
        ending.tryEmitEmpty();
        Mono<String> future = Mono.deferContextual(context -> Mono.fromFuture(work.future(() ->
                work.unlocked(() -> Mono.just("done")).contextWrite(context).toFuture())));
        assertThat(transactions.operator().transactional(future).block(LockedApplication.LONG))
                .isEqualTo("done");
        assertThat(transactions.log).containsExactly("begin", "commit", "commit done, held=false");
    }

    @Test
    void areWaitedForWithoutTheGuardToo() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.transaction.guard=false")
                .withBean(LockOperations.class, RecordingLocks::new)
                .run(started -> assertThat(started)
                        .hasBean("reactiveTransactionSubscriberScope")
                        .hasBean("reactiveTransactionEnclosingLocks")
                        .doesNotHaveBean(ReactiveCommitGuard.class));
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
    }

    static class Work {

        @DistributedLocked("'work'")
        @Transactional
        public Mono<String> transaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        @Transactional
        public Flux<Integer> values(Flux<Integer> body) {
            return body;
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.INTERRUPT)
        @Transactional
        public Mono<String> interrupted(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public <T> Mono<T> locked(Supplier<Mono<T>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public CompletableFuture<String> future(Supplier<CompletableFuture<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Mono<String>>> response(Mono<String> body) {
            return Mono.just(ResponseEntity.ok(body));
        }

        @Transactional
        public Mono<String> unlocked(Supplier<Mono<String>> body) {
            return body.get();
        }

        @Transactional
        public Flux<Integer> unlockedValues(Flux<Integer> body) {
            return body;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> nested(Supplier<Mono<String>> body) {
            return body.get();
        }
    }

    /** Logs the begins and ends of transactions, and whether the lock was held when they had ended. */
    static class Transactions extends SuspendingTransactionManager {

        private final List<String> log = new CopyOnWriteArrayList<>();

        private volatile Mono<Void> beginning = Mono.empty();

        private volatile Mono<Void> ending = Mono.empty();

        TransactionalOperator operator() {
            return TransactionalOperator.create(this);
        }

        @Override
        protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager manager, Object transaction) {
            return Mono.fromRunnable(() -> manager.unbindResourceIfPossible(RESOURCE));
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.<Void>fromRunnable(() -> log.add("begin"))
                    .then(beginning)
                    .then(bind(manager, transaction, "transaction"));
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return end("commit");
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return end("rollback");
        }

        private Mono<Void> end(String how) {
            return Mono.<Void>fromRunnable(() -> log.add(how))
                    .then(ending)
                    .then(Mono.fromRunnable(() -> log.add(how + " done, held=" + application.isHeld("work"))));
        }
    }
}
