/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.annotation.DistributedLocked;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Reactive transactions whose completion Spring does not report to what is registered with them. */
class UnreportedTransactionTests {

    @RegisterExtension
    static final LockedApplication application = new LockedApplication(Configured.class);

    private final Work work = application.bean(Work.class);

    private final Transactions transactions = application.bean(Transactions.class);

    private final AtomicBoolean working = new AtomicBoolean();

    /** Where the lock is. */
    private enum Place {
        OF_THE_METHOD {
            @Override
            Mono<String> call(Work work, Supplier<Mono<String>> body) {
                return work.lockedTransaction(body);
            }
        },
        AROUND {
            @Override
            Mono<String> call(Work work, Supplier<Mono<String>> body) {
                return work.locked(() -> work.transaction(body));
            }
        },
        AROUND_WITH_OPERATOR {
            @Override
            Mono<String> call(Work work, Supplier<Mono<String>> body) {
                return work.locked(() -> work.transaction(body).or(Mono.never()));
            }
        },
        KEPT {
            @Override
            Mono<String> call(Work work, Supplier<Mono<String>> body) {
                return work.transaction(() -> work.locked(body));
            }
        };

        abstract Mono<String> call(Work work, Supplier<Mono<String>> body);
    }

    @BeforeEach
    void forget() {
        transactions.log.clear();
        transactions.waits.clear();
        transactions.failing = false;
    }

    @AfterEach
    void endAll() {
        transactions.waits.values().forEach(Sinks.Empty::tryEmitEmpty);
    }

    private Sinks.Empty<Void> waitAt(String point) {
        Sinks.Empty<Void> sink = Sinks.empty();
        transactions.waits.put(point, sink);
        return sink;
    }

    private void awaitLogged(String entry) {
        await().atMost(LockedApplication.LONG).until(() -> transactions.log.contains(entry));
    }

    private Mono<String> endless() {
        return Mono.<String>never().doOnSubscribe(subscription -> working.set(true));
    }

    private static Mono<String> failsAfterCommit() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .doOnNext(manager -> manager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public Mono<Void> afterCommit() {
                        return Mono.error(new IllegalStateException("after commit"));
                    }
                }))
                .thenReturn("done");
    }

    @ParameterizedTest
    @EnumSource
    void aFailureAfterTheCommitEndsTheLock(Place place) {
        CompletableFuture<String> result =
                place.call(work, UnreportedTransactionTests::failsAfterCommit).toFuture();
        await().atMost(LockedApplication.LONG).until(result::isDone);
        assertThat(catchThrowable(result::join)).hasCauseInstanceOf(IllegalStateException.class);
        application.awaitFree("work");
        assertThat(transactions.log).containsExactly("transaction commit", "transaction commit done, held=true");
    }

    /** The response is not written. */
    @Test
    void aFailureAfterTheCommitEndsTheLockOfABodyThatHasNotBegun() {
        AtomicReference<Mono<String>> body = new AtomicReference<>();
        Mono<?> call = work.responding(() -> failsAfterCommit()
                .then(work.response(Mono.just("body")))
                .doOnNext(response -> body.set(response.getBody())));
        assertThat(catchThrowable(() -> call.block(LockedApplication.LONG))).isInstanceOf(IllegalStateException.class);

        application.awaitFree("work");
        assertThat(catchThrowable(() -> body.get().block(LockedApplication.LONG)))
                .hasMessageContaining("Call the locked method again");
    }

    @ParameterizedTest
    @EnumSource
    void aCommitAndRollbackThatFailEndTheLock(Place place) {
        transactions.failing = true;
        CompletableFuture<String> result =
                place.call(work, () -> Mono.just("done")).toFuture();
        await().atMost(LockedApplication.LONG).until(result::isDone);
        assertThat(catchThrowable(result::join)).hasCauseInstanceOf(IllegalStateException.class);
        application.awaitFree("work");
    }

    @ParameterizedTest
    @EnumSource
    void theOuterOneOfTwoCancelledTransactionsEndsFirst(Place place) {
        Sinks.Empty<Void> outer = waitAt("transaction rollback");
        Sinks.Empty<Void> inner = waitAt("nested rollback");
        cancelBoth(place);
        outer.tryEmitEmpty();
        awaitLogged("transaction rollback done, held=true");
        inner.tryEmitEmpty();
        application.awaitFree("work");
    }

    @ParameterizedTest
    @EnumSource
    void theInnerOneOfTwoCancelledTransactionsEndsFirst(Place place) {
        Sinks.Empty<Void> outer = waitAt("transaction rollback");
        Sinks.Empty<Void> inner = waitAt("nested rollback");
        cancelBoth(place);
        inner.tryEmitEmpty();
        awaitLogged("nested clean");
        assertThat(application.isHeld("work")).isTrue();
        outer.tryEmitEmpty();
        application.awaitFree("work");
        assertThat(transactions.log)
                .contains("nested rollback done, held=true", "transaction rollback done, held=true");
    }

    /** An outer one that has no synchronizations meanwhile. */
    @ParameterizedTest
    @EnumSource
    void theOuterOneOfTwoCancelledTransactionsEndsWhileTheInnerOneFreesItsConnection(Place place) {
        Sinks.Empty<Void> outer = waitAt("transaction rollback");
        Sinks.Empty<Void> inner = waitAt("nested clean");
        cancelBoth(place);
        awaitLogged("nested clean");
        outer.tryEmitEmpty();
        awaitLogged("transaction rollback done, held=true");
        inner.tryEmitEmpty();
        application.awaitFree("work");
    }

    private void cancelBoth(Place place) {
        Disposable subscription =
                place.call(work, () -> work.nested(this::endless)).subscribe();
        await().atMost(LockedApplication.LONG).untilTrue(working);
        subscription.dispose();
        awaitLogged("nested rollback");
        awaitLogged("transaction rollback");
        assertThat(application.isHeld("work")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOperatorInsideOfTheMethodCancelsTwoTransactions(boolean outerFirst) {
        Sinks.Empty<Void> outer = waitAt("transaction rollback");
        Sinks.Empty<Void> inner = waitAt("nested rollback");
        Sinks.Empty<Void> enough = Sinks.empty();
        CompletableFuture<String> result = work.locked(
                        () -> work.transaction(() -> work.nested(this::endless)).takeUntilOther(enough.asMono()))
                .toFuture();
        await().atMost(LockedApplication.LONG).untilTrue(working);
        enough.tryEmitEmpty();
        awaitLogged("transaction rollback");
        assertThat(result).isNotDone();
        (outerFirst ? outer : inner).tryEmitEmpty();
        (outerFirst ? inner : outer).tryEmitEmpty();
        assertThat(result).succeedsWithin(LockedApplication.LONG).isNull();
        application.awaitFree("work");
        assertThat(transactions.log).contains("transaction rollback done, held=true");
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionIsCancelledWhileAnotherOneBeginsInside(Place place) {
        waitAt("nested begin");
        Disposable subscription =
                place.call(work, () -> work.nested(this::endless)).subscribe();
        awaitLogged("nested begin");
        assertThat(application.isHeld("work")).isTrue();
        subscription.dispose();
        application.awaitFree("work");
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheInnerTransactionIsCancelled(Place place) {
        Sinks.Empty<Void> enough = Sinks.empty();
        Sinks.Empty<Void> inner = waitAt("nested rollback");
        Sinks.Empty<Void> outer = waitAt("transaction commit");
        CompletableFuture<String> result = place.call(
                        work,
                        () -> work.nested(this::endless)
                                .takeUntilOther(enough.asMono())
                                .then(inner.asMono().thenReturn("done")))
                .toFuture();
        await().atMost(LockedApplication.LONG).untilTrue(working);
        enough.tryEmitEmpty();
        awaitLogged("nested rollback");
        inner.tryEmitEmpty();
        awaitLogged("transaction commit");
        assertThat(application.isHeld("work")).isTrue();
        outer.tryEmitEmpty();
        assertThat(result).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
        application.awaitFree("work");
        assertThat(transactions.log).contains("transaction commit done, held=true");
    }

    /** A lock that is not there yet has not begun the transaction either. */
    @Test
    void aTransactionIsWaitedForThatIsCancelledWhileALockInsideIsAwaited() {
        Sinks.Empty<Void> outer = waitAt("transaction rollback");
        var other = application.hold("other");
        Disposable subscription = work.lockedTransaction(
                        () -> work.other(Mono::empty).doOnSubscribe(waiting -> working.set(true)))
                .subscribe();
        await().atMost(LockedApplication.LONG).untilTrue(working);
        subscription.dispose();
        awaitLogged("transaction rollback");
        assertThat(application.isHeld("work")).isTrue();
        outer.tryEmitEmpty();
        application.awaitFree("work");
        other.close();
        assertThat(transactions.log).contains("transaction rollback done, held=true");
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
        public Mono<String> lockedTransaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public Mono<String> locked(Supplier<Mono<String>> body) {
            return body.get();
        }

        @Transactional
        public Mono<String> transaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Mono<String>>> response(Mono<String> body) {
            return Mono.just(ResponseEntity.ok(body));
        }

        @Transactional
        public Mono<ResponseEntity<Mono<String>>> responding(Supplier<Mono<ResponseEntity<Mono<String>>>> body) {
            return body.get();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> nested(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'other'")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> other(Supplier<Mono<String>> body) {
            return body.get();
        }
    }

    /** As strict with its resources as that of R2DBC. Waits where a test requires it. */
    static class Transactions extends SuspendingTransactionManager {

        private final List<String> log = new CopyOnWriteArrayList<>();

        private final Map<String, Sinks.Empty<Void>> waits = new ConcurrentHashMap<>();

        private volatile boolean failing;

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            boolean nested = definition.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW;
            String name = nested ? "nested" : "transaction";
            Mono<Void> waiting = waits.containsKey(name + " begin") ? waitAt(name, "begin") : Mono.empty();
            return waiting.then(bind(manager, transaction, name));
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return end(((Open) status.getTransaction()).name(), "commit");
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return end(((Open) status.getTransaction()).name(), "rollback");
        }

        @Override
        protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager manager, Object transaction) {
            return Mono.defer(() -> {
                manager.unbindResource(RESOURCE);
                String name = ((Open) transaction).name();
                return name.equals("nested") ? waitAt(name, "clean") : Mono.empty();
            });
        }

        private Mono<Void> waitAt(String name, String point) {
            return Mono.defer(() -> {
                log.add(name + " " + point);
                Sinks.Empty<Void> wait = waits.get(name + " " + point);
                return wait == null ? Mono.empty() : wait.asMono();
            });
        }

        private Mono<Void> end(String name, String how) {
            if (failing) {
                return Mono.error(new IllegalStateException(how));
            }
            return waitAt(name, how)
                    .then(Mono.fromRunnable(
                            () -> log.add(name + " " + how + " done, held=" + application.isHeld("work"))));
        }
    }
}
