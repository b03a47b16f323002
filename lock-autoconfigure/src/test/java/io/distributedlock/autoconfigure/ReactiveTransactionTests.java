/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenLost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Locks around reactive transactions, and reactive transactions around locks. */
class ReactiveTransactionTests {

    private static final AtomicInteger LOSSES = new AtomicInteger();

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final Transactions transactions = application.bean(Transactions.class);

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
        transactions.ends.clear();
        transactions.committing = Mono.empty();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
    }

    private static Throwable failureOf(Mono<?> mono) {
        return catchThrowable(() -> mono.block(LockedApplication.LONG));
    }

    /** Takes the lock away, and goes on when its holder knows. */
    private static <T> Mono<T> losing(T value) {
        return Mono.fromSupplier(() -> {
            int before = LOSSES.get();
            application.locks().forceRelease("work");
            await().atMost(LockedApplication.LONG).until(() -> LOSSES.get() > before);
            return value;
        });
    }

    @Test
    void aLockAroundATransactionIsHeldUntilItHasCommitted() {
        assertThat(work.lockedTransaction(() -> Mono.just("done")).block(LockedApplication.LONG))
                .isEqualTo("done");
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void aTransactionUnderALostLockIsRolledBack() {
        assertThat(failureOf(work.lockedTransaction(() -> losing("done")))).isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
        transactions.ends.clear();

        assertThat(failureOf(work.lockedFlux(losing(1).flux()).collectList())).isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @Test
    void aTransactionWithAPlaceholderUnderALostLockIsRolledBack() {
        assertThat(failureOf(work.lockedTransactionWithPlaceholder(() -> losing("done"))))
                .isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @Test
    void aLockInsideOfATransactionIsKeptUntilItHasCommitted() {
        Mono<Boolean> held = work.locked(() -> Mono.just("done")).map(done -> application.isHeld("work"));
        assertThat(transactions.operator().transactional(held).block(LockedApplication.LONG))
                .isTrue();
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void theLockOfAMethodWithATransactionOfItsOwnEndsWithThatOne() {
        Mono<Boolean> held = work.inOwnTransaction(() -> Mono.just("done")).map(done -> application.isHeld("work"));
        assertThat(transactions.operator().transactional(held).block(LockedApplication.LONG))
                .isFalse();
        assertThat(transactions.ends).containsExactly("commit held=true", "commit held=false");
    }

    /** Both transactions have the same name. */
    @Test
    void theLockOfAMethodThatCallsItselfInATransactionOfItsOwnEndsWithThatOne() {
        Mono<String> held = work.inOwnTransaction(
                "other",
                () -> work.inOwnTransaction("work", () -> Mono.just("done"))
                        .map(done -> done + " held=" + application.isHeld("work")));
        assertThat(held.block(LockedApplication.LONG)).isEqualTo("done held=false");
    }

    @Test
    void aLockInsideOfATransactionIsKeptUntilItHasRolledBack() {
        Mono<Boolean> failing = work.locked(() -> Mono.just("done"))
                .map(done -> application.isHeld("work"))
                .filter(held -> !held)
                .switchIfEmpty(Mono.error(new IllegalStateException("held until the end")));
        assertThat(failureOf(transactions.operator().transactional(failing))).hasMessage("held until the end");
        assertThat(transactions.ends).containsExactly("rollback held=true");
        assertThat(application.isHeld("work")).isFalse();
    }

    @Test
    void aCancellationRollsBackUnderTheLock() {
        AtomicBoolean locked = new AtomicBoolean();
        Mono<String> never = work.locked(() -> Mono.just("done")).then(Mono.defer(() -> {
            locked.set(true);
            return Mono.never();
        }));
        Disposable subscription = transactions.operator().transactional(never).subscribe();
        await().atMost(LockedApplication.LONG).untilTrue(locked);
        assertThat(application.isHeld("work")).isTrue();
        subscription.dispose();

        await().atMost(LockedApplication.LONG)
                .untilAsserted(() -> assertThat(transactions.ends).containsExactly("rollback held=true"));
        application.awaitFree("work");
    }

    @Test
    void aCancellationDuringTheCommitDoesNotEndTheLockBeforeIt() {
        Sinks.Empty<Void> committing = Sinks.empty();
        transactions.committing = committing.asMono();
        Disposable subscription = transactions
                .operator()
                .transactional(work.locked(() -> Mono.just("done")))
                .subscribe();
        await().atMost(LockedApplication.LONG).until(() -> !transactions.ends.isEmpty());
        subscription.dispose();
        assertThat(application.isHeld("work")).isTrue();

        committing.tryEmitEmpty();
        await().atMost(LockedApplication.LONG).until(() -> !application.isHeld("work"));
        assertThat(transactions.ends).first().isEqualTo("commit held=true");
    }

    @Test
    void aLockInsideOfANestedTransactionIsKeptUntilThatOneHasCommitted() {
        TransactionalOperator nested = TransactionalOperator.create(
                transactions, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        Mono<Boolean> held =
                nested.transactional(work.locked(() -> Mono.just("done"))).map(done -> application.isHeld("work"));
        assertThat(transactions.operator().transactional(held).block(LockedApplication.LONG))
                .isFalse();
        assertThat(transactions.ends).containsExactly("commit held=true", "commit held=false");
    }

    @Test
    void anIgnoredLossOfOneOfSeveralLocksDoesNotHideItEither() {
        Mono<String> both = work.lenientOfTwo(() -> Mono.just("done"))
                .then(work.strictOfTwo(() -> Mono.just("done")))
                .flatMap(ReactiveTransactionTests::losing);
        assertThat(failureOf(transactions.operator().transactional(both))).isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @Test
    void anIgnoredLossDoesNotHideThatOfTheSameLockElsewhereInTheTransaction() {
        Mono<String> both = work.lenient(() -> Mono.just("done"))
                .then(work.locked(() -> Mono.just("done")))
                .flatMap(ReactiveTransactionTests::losing);
        assertThat(failureOf(transactions.operator().transactional(both))).isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @Test
    void aLockInAScopeWithoutATransactionEndsWithItsMethod() {
        Mono<Boolean> held = work.locked(() -> Mono.just("done")).map(done -> application.isHeld("work"));
        TransactionalOperator scope = TransactionalOperator.create(
                transactions, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS));
        assertThat(scope.transactional(held).block(LockedApplication.LONG)).isFalse();
        assertThat(transactions.ends).isEmpty();
    }

    /** A loop of a thousand rounds in one transaction must not keep a thousand handles. */
    @Test
    void aLockThatIsEnteredAgainInATransactionIsKeptOnce() {
        Mono<Integer> kept = work.locked(() -> Mono.just("done"))
                .repeat(4)
                .then(work.lenient(() -> Mono.just("done")))
                .then(TransactionSynchronizationManager.forCurrentTransaction())
                .map(manager -> manager.getSynchronizations().size());
        assertThat(transactions.operator().transactional(kept).block(LockedApplication.LONG))
                .isOne();
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void aTransactionThatTriesAgainAfterATimeOutEntersTheLockThatItKeeps() {
        Sinks.Empty<String> running = Sinks.empty();
        Mono<String> cancelled = work.locked(() -> {
                    running.tryEmitEmpty();
                    return Mono.never();
                })
                .takeUntilOther(running.asMono().publishOn(Schedulers.single()));
        // The work ends when its subscription has returned, perhaps after the cancellation.
        Mono<String> again =
                work.atOnce(() -> Mono.just("entered")).retryWhen(Retry.fixedDelay(200, Duration.ofMillis(50)));
        assertThat(transactions.operator().transactional(cancelled.then(again)).block(LockedApplication.LONG))
                .isEqualTo("entered");
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void aTransactionEntersTheHoldThatReplacedALostOne() {
        Mono<String> later = work.lenient(() -> Mono.just("done"))
                .flatMap(ReactiveTransactionTests::losing)
                .then(work.lenient(() -> Mono.just("done")))
                .then(Mono.defer(() -> work.atOnce(() -> Mono.just("entered"))));
        assertThat(transactions.operator().transactional(later).block(LockedApplication.LONG))
                .isEqualTo("entered");
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void aLossThatIsIgnoredDoesNotStopTheTransactionUnderTheLock() {
        assertThat(work.lenientTransaction(() -> losing("done")).block(LockedApplication.LONG))
                .isEqualTo("done");
        assertThat(transactions.ends).containsExactly("commit held=false");
    }

    @Test
    void aParallelBranchOfATransactionDoesNotEnterTheLockOfWorkThatStillRuns() {
        Sinks.Empty<String> running = Sinks.empty();
        Sinks.Empty<String> ending = Sinks.empty();
        Mono<String> first = work.locked(() -> {
            running.tryEmitEmpty();
            return ending.asMono();
        });
        Mono<String> second = running.asMono()
                .publishOn(Schedulers.single())
                .then(Mono.defer(() -> work.atOnce(() -> Mono.just("entered"))))
                .onErrorReturn(LockNotAcquiredException.class, "busy")
                .doOnTerminate(ending::tryEmitEmpty);
        Mono<String> later = work.atOnce(() -> Mono.just("later"));
        Flux<String> all = Flux.merge(first, second).concatWith(later);
        assertThat(transactions.operator().transactional(all).collectList().block(LockedApplication.LONG))
                .containsExactly("busy", "later");
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void aTransactionIsNotCommittedIfALockInsideOfItWasLost() {
        Mono<String> later = work.locked(() -> Mono.just("done")).flatMap(ReactiveTransactionTests::losing);
        assertThat(failureOf(transactions.operator().transactional(later))).isInstanceOf(LockLostException.class);
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @Test
    void aTransactionDoesNotGoOnAfterWorkThatHasLostItsLock() {
        AtomicBoolean wentOn = new AtomicBoolean();
        Mono<String> work = this.work.locked(() -> losing("done")).doOnNext(done -> wentOn.set(true));
        assertThat(failureOf(transactions.operator().transactional(work))).isInstanceOf(LockLostException.class);
        assertThat(wentOn).isFalse();
        assertThat(transactions.ends).containsExactly("rollback held=false");
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void theLockOfABodyThatIsCancelledBeforeItBeginsIsKeptUntilTheTransactionHasCommitted(Publisher<String> body) {
        Mono<Boolean> held = work.response(body).map(response -> {
            cancelAtOnce(response.getBody());
            return application.isHeld("work");
        });
        assertThat(transactions.operator().transactional(held).block(LockedApplication.LONG))
                .isTrue();
        assertThat(transactions.ends).containsExactly("commit held=true");
    }

    @Test
    void theLockOfABodyThatBeginsAfterTheCommitIsHeldUntilTheBodyHasEnded() {
        Mono<ResponseEntity<Publisher<String>>> call =
                work.response(Mono.fromSupplier(() -> "held=" + application.isHeld("work")));
        Publisher<String> body = transactions
                .operator()
                .transactional(call)
                .block(LockedApplication.LONG)
                .getBody();
        assertThat(transactions.ends).containsExactly("commit held=true");
        assertThat(application.isHeld("work")).isTrue();

        assertThat(Mono.from(body).block(LockedApplication.LONG)).isEqualTo("held=true");
        application.awaitFree("work");
    }

    /** The response is not written. */
    @Test
    void theLockOfABodyEndsIfItsTransactionIsRolledBack() {
        transactions.committing = Mono.error(new IllegalStateException("for the test"));
        AtomicReference<Publisher<String>> body = new AtomicReference<>();
        Mono<?> call = work.response(Mono.just("done")).doOnNext(response -> body.set(response.getBody()));
        assertThat(failureOf(transactions.operator().transactional(call))).hasMessage("for the test");
        assertThat(application.isHeld("work")).isFalse();
        assertThat(failureOf(Mono.from(body.get()))).hasMessageContaining("Call the locked method again");
    }

    static Stream<Publisher<String>> bodies() {
        return Stream.of(Mono.just("done"), Flux.just("do", "ne"));
    }

    private static void cancelAtOnce(Publisher<String> body) {
        body.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }

        @EventListener
        void lost(LockLostEvent event) {
            LOSSES.incrementAndGet();
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
        @Transactional(timeoutString = "${tx.timeout:30}")
        public Mono<String> lockedTransactionWithPlaceholder(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> inOwnTransaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("#lock")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> inOwnTransaction(String lock, Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        @Transactional
        public Flux<Integer> lockedFlux(Flux<Integer> body) {
            return body;
        }

        @DistributedLocked("'work'")
        public Mono<ResponseEntity<Publisher<String>>> response(Publisher<String> body) {
            return Mono.just(ResponseEntity.ok(body));
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.IGNORE)
        @Transactional
        public Mono<String> lenientTransaction(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.IGNORE)
        public Mono<String> lenient(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", whenLost = WhenLost.IGNORE)
        @DistributedLocked("'other'")
        public Mono<String> lenientOfTwo(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("{'work', 'other'}")
        public Mono<String> strictOfTwo(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(key = "'work'", waitUpTo = "0")
        public Mono<String> atOnce(Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked("'work'")
        public Mono<String> locked(Supplier<Mono<String>> body) {
            return body.get();
        }
    }

    /** Writes down how its transactions end, and whether the lock was still held then. */
    static class Transactions extends AbstractReactiveTransactionManager {

        private final List<String> ends = new CopyOnWriteArrayList<>();

        private volatile Mono<Void> committing = Mono.empty();

        TransactionalOperator operator() {
            return TransactionalOperator.create(this);
        }

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
            return Mono.<Void>fromRunnable(() -> ends.add("commit held=" + application.isHeld("work")))
                    .then(committing);
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> ends.add("rollback held=" + application.isHeld("work")));
        }
    }
}
