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
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Several annotations on one method: all of their locks or none, in one order, with waits that begin together. */
class SeveralAnnotationTests {

    @RegisterExtension
    private static final LockedApplication application = new LockedApplication(Configured.class);

    private final Work work = application.bean(Work.class);

    /** How a method returns its result. */
    enum Kind {
        VALUE {
            @Override
            List<String> call(Work work, List<Integer> keys) {
                return work.value(keys);
            }
        },
        FUTURE {
            @Override
            List<String> call(Work work, List<Integer> keys) {
                return unwrapped(work.future(keys)::join);
            }
        },
        MONO {
            @Override
            List<String> call(Work work, List<Integer> keys) {
                return work.mono(keys).block(LockedApplication.LONG);
            }
        },
        FLUX {
            @Override
            List<String> call(Work work, List<Integer> keys) {
                return work.flux(keys).blockLast(LockedApplication.LONG);
            }
        },
        STREAM {
            @Override
            List<String> call(Work work, List<Integer> keys) {
                try (Stream<List<String>> stream = work.stream(keys)) {
                    return stream.toList().get(0);
                }
            }
        };

        abstract List<String> call(Work work, List<Integer> keys);
    }

    @ParameterizedTest
    @EnumSource
    void allLocksAreHeldByOneHandle(Kind kind) {
        assertThat(kind.call(work, List.of(2, 1))).containsExactly("a:1", "a:2", "b:x");
    }

    /** A call that a pause of the machine has delayed, or refused because of the first lock, is repeated. */
    @ParameterizedTest
    @EnumSource
    void theWaitsBeginTogether(Kind kind) {
        await().pollInSameThread().atMost(LockedApplication.LONG).untilAsserted(() -> waitForTwo(kind));
    }

    /** The first lock becomes free after more than half of the wait. */
    private void waitForTwo(Kind kind) {
        try (LockHandle second = application.hold("a:2")) {
            long since = System.nanoTime();
            LockRequest leaving =
                    LockRequest.of("a:1").lease(Duration.ofMillis(600)).renew(false);
            LockHandle first = application
                    .locks()
                    .acquireAsync(leaving)
                    .toCompletableFuture()
                    .join();

            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> kind.call(work, List.of(1, 2)))
                    .satisfies(busy -> assertThat(busy.lockName()).isEqualTo("a:2"))
                    .satisfies(busy -> assertThat(busy.waited()).isBetween(Duration.ofMillis(990), passed(since)))
                    .withMessageContaining("the call has acquired none of the 3 locks of the method");

            assertThat(passed(since)).isLessThan(Duration.ofMillis(1_500));
            assertThat(application.keys()).containsExactly("lock:{a:2}");
            assertThat(first.isHeld()).isFalse();
        }
    }

    private static Duration passed(long since) {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** It waited for the first lock, and was then refused all the same. */
    @Test
    void aCallThatMayNotEnterALaterLockAgainIsRefusedBeforeItWaits() {
        try (LockHandle other = application.hold("a:first");
                LockHandle mine = application.locks().acquire(LockRequest.of("b:nested"))) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(work::notReentrant)
                    .satisfies(refused -> assertThat(refused.lockName()).isEqualTo("b:nested"));
            assertThat(other.isHeld() && mine.isHeld()).isTrue();
        }
        work.notReentrant();
    }

    @Test
    void timeThatHasPassedCountsTowardsTheWaitOfARequest() {
        LockRequest request =
                LockRequest.of("passed").waitUpTo(Duration.ofDays(1)).waited(Duration.ofDays(1));
        try (LockHandle other = application.hold("passed")) {
            assertThat(application.locks().tryAcquire(request)).isEmpty();
        }
        application.locks().acquire(request).close();
    }

    @ParameterizedTest
    @EnumSource
    void aCallWithoutOneOfTheLocksLeavesNoneEvenIfItHasAMinimum(Kind kind) {
        try (LockHandle other = application.hold("n:x")) {
            work.minimum(true);
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> kind.call(work, List.of(1, 2)))
                    .satisfies(busy -> assertThat(busy.lockName()).isEqualTo("n:x"));
            assertThat(application.keys()).containsExactly("lock:{n:x}");
        } finally {
            work.minimum(false);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VALUE", "STREAM"})
    void aTransactionKeepsNoneOfThemEither(Kind kind) {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        try (LockHandle other = application.hold("n:x")) {
            work.minimum(true);
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> kind.call(work, List.of(1, 2)));
            assertThat(application.keys()).containsExactly("lock:{n:x}");
            assertThat(TransactionSynchronizationManager.getSynchronizations()).isEmpty();
        } finally {
            work.minimum(false);
            TransactionSynchronizationManager.clear();
        }
    }

    @Test
    void aFallbackRunsUnderNoneOfThem() {
        try (LockHandle other = application.hold("n:x")) {
            assertThat(work.replaced()).containsExactly("lock:{n:x}");
            assertThat(work.replacedFuture().join()).containsExactly("lock:{n:x}");
            assertThat(work.replacedMono().block(LockedApplication.LONG)).containsExactly("lock:{n:x}");
        }
        try (LockHandle other = application.hold("m")) {
            assertThat(work.replaced()).isNull();
            assertThat(work.replacedFuture().join()).isNull();
            assertThat(work.replacedMono().blockOptional(LockedApplication.LONG))
                    .isEmpty();
        }
    }

    /** Each call needs two locks that others name in the opposite order. */
    @Test
    void methodsWithOppositeOrdersDoNotWaitForEachOther() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                boolean there = i % 2 == 0;
                int kind = i / 2;
                all.add(threads.submit(() -> {
                    for (int call = 0; call < 40; call++) {
                        work.transfer(there, kind);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(LockedApplication.LONG.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(Work.transfers).isEqualTo(240);
    }

    @Test
    void aCancellationDuringTheWaitForALaterLockReleasesTheEarlierOnes() {
        for (Supplier<Runnable> begin : List.<Supplier<Runnable>>of(this::futureToCancel, this::monoToCancel)) {
            try (LockHandle other = application.hold("b:x")) {
                Runnable cancel = begin.get();
                await().atMost(LockedApplication.LONG)
                        .until(() -> application.keys().size() == 3);
                cancel.run();
                await().atMost(LockedApplication.LONG)
                        .until(() -> application.keys().size() == 1);
            }
        }
    }

    private Runnable futureToCancel() {
        CompletableFuture<List<String>> future = work.patient(List.of(1, 2));
        return () -> future.cancel(true);
    }

    private Runnable monoToCancel() {
        Disposable subscription = work.patientMono(List.of(1, 2)).subscribe();
        return subscription::dispose;
    }

    @Test
    void eachSubscriptionEvaluatesTheKeysOfAllAnnotations() {
        List<Integer> keys = new ArrayList<>(List.of(1));
        Mono<List<String>> mono = work.mono(keys);
        assertThat(mono.block(LockedApplication.LONG)).containsExactly("a:1", "b:x");
        keys.set(0, 2);
        assertThat(mono.block(LockedApplication.LONG)).containsExactly("a:2", "b:x");
        keys.clear();
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> mono.block(LockedApplication.LONG));
        CompletableFuture<List<String>> future = work.future(keys);
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> unwrapped(future::join));
    }

    @Test
    void eachAnnotationDecidesWhatTheLossOfItsLockMeans() {
        assertThat(work.losing("ignored", new CompletableFuture<>(), true)).isEqualTo("returned");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> work.losing("strict", new CompletableFuture<>(), true))
                .satisfies(loss -> assertThat(loss.lockName()).isEqualTo("strict"));
    }

    @Test
    void onlyTheLossOfALockThatInterruptsCancels() {
        CompletableFuture<String> body = new CompletableFuture<>();
        AtomicReference<LockHandle> handle = new AtomicReference<>();
        CompletableFuture<String> result = work.interrupted(handle, body);
        await().atMost(LockedApplication.LONG).until(() -> handle.get() != null);

        application.locks().forceRelease("strict");
        assertThat(handle.get().isHeld()).isFalse();
        assertThat(body).isNotDone();

        application.locks().forceRelease("stopping");
        await().atMost(LockedApplication.LONG).until(body::isCancelled);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> unwrapped(result::join));
    }

    private static <T> T unwrapped(Supplier<T> result) {
        try {
            return result.get();
        } catch (CompletionException ex) {
            throw ex.getCause() instanceof RuntimeException cause ? cause : ex;
        } catch (CancellationException ex) {
            throw new AssertionError(ex);
        }
    }

    static class Work {

        static int transfers;

        private volatile boolean minimum;

        /** Read by the condition of the annotations. */
        public boolean isMinimum() {
            return minimum;
        }

        void minimum(boolean present) {
            minimum = present;
        }

        @DistributedLocked(name = "b", key = "'x'", condition = "!@work.minimum", waitUpTo = "1s")
        @DistributedLocked(name = "a", key = "#keys", condition = "!@work.minimum", waitUpTo = "1s")
        @DistributedLocked(name = "m", key = "#keys", condition = "@work.minimum", minHold = "1h", waitUpTo = "0")
        @DistributedLocked(name = "n", key = "'x'", condition = "@work.minimum", waitUpTo = "0")
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
        @interface All {}

        @DistributedLocked(name = "a", key = "'first'", reentrant = false, waitUpTo = "1s")
        @DistributedLocked(name = "b", key = "'nested'", reentrant = false, waitUpTo = "1s")
        void notReentrant() {}

        @All
        List<String> value(List<Integer> keys) {
            return names();
        }

        @All
        CompletableFuture<List<String>> future(List<Integer> keys) {
            return CompletableFuture.completedFuture(names());
        }

        @All
        Mono<List<String>> mono(List<Integer> keys) {
            return Mono.just(names());
        }

        @All
        Flux<List<String>> flux(List<Integer> keys) {
            return Flux.just(names());
        }

        @All
        Stream<List<String>> stream(List<Integer> keys) {
            return Stream.of(names());
        }

        private static @Nullable List<String> names() {
            return LockHandle.current()
                    .map(handle -> List.copyOf(handle.fencingTokens().keySet()))
                    .orElse(null);
        }

        @DistributedLocked(name = "a", key = "#keys", waitUpTo = "-1s")
        @DistributedLocked(name = "b", key = "'x'", waitUpTo = "-1s")
        CompletableFuture<List<String>> patient(List<Integer> keys) {
            return future(keys);
        }

        @DistributedLocked(name = "a", key = "#keys", waitUpTo = "-1s")
        @DistributedLocked(name = "b", key = "'x'", waitUpTo = "-1s")
        Mono<List<String>> patientMono(List<Integer> keys) {
            return mono(keys);
        }

        @DistributedLocked(key = "'m'", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        @DistributedLocked(name = "n", key = "'x'", fallback = "instead", waitUpTo = "0")
        @Nullable
        List<String> replaced() {
            return List.of("ran");
        }

        private List<String> instead(LockNotAcquiredException busy) {
            assertThat(busy.lockName()).isEqualTo("n:x");
            return application.keys();
        }

        @DistributedLocked(key = "'m'", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        @DistributedLocked(name = "n", key = "'x'", fallback = "insteadOfFuture", waitUpTo = "0")
        CompletableFuture<List<String>> replacedFuture() {
            return CompletableFuture.completedFuture(List.of("ran"));
        }

        private CompletableFuture<List<String>> insteadOfFuture(LockNotAcquiredException busy) {
            return CompletableFuture.completedFuture(instead(busy));
        }

        @DistributedLocked(key = "'m'", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        @DistributedLocked(name = "n", key = "'x'", fallback = "insteadOfMono", waitUpTo = "0")
        Mono<List<String>> replacedMono() {
            return Mono.just(List.of("ran"));
        }

        private Mono<List<String>> insteadOfMono(LockNotAcquiredException busy) {
            return Mono.just(instead(busy));
        }

        void transfer(boolean there, int kind) {
            Work proxy = application.bean(Work.class);
            if (kind == 0) {
                proxy.plain(there);
            } else if (kind == 1) {
                (there ? proxy.there() : proxy.back()).join();
            } else {
                (there ? proxy.thereMono() : proxy.backMono()).block(LockedApplication.LONG);
            }
        }

        @DistributedLocked(name = "account", key = "#there ? '1' : '2'", waitUpTo = "-1s")
        @DistributedLocked(name = "account", key = "#there ? {'2', '3'} : {'3', '1'}", waitUpTo = "-1s")
        void plain(boolean there) {
            transfers++;
        }

        @DistributedLocked(name = "account", key = "'1'", waitUpTo = "-1s")
        @DistributedLocked(name = "account", key = "'2'", waitUpTo = "-1s")
        CompletableFuture<Integer> there() {
            return CompletableFuture.completedFuture(++transfers);
        }

        @DistributedLocked(name = "account", key = "{'2', '3'}", waitUpTo = "-1s")
        @DistributedLocked(name = "account", key = "'1'", waitUpTo = "-1s")
        CompletableFuture<Integer> back() {
            return CompletableFuture.completedFuture(++transfers);
        }

        @DistributedLocked(name = "account", key = "'1'", waitUpTo = "-1s")
        @DistributedLocked(name = "account", key = "{'3', '2'}", waitUpTo = "-1s")
        Mono<Integer> thereMono() {
            return Mono.fromSupplier(() -> ++transfers);
        }

        @DistributedLocked(name = "account", key = "'2'", waitUpTo = "-1s")
        @DistributedLocked(name = "account", key = "'1'", waitUpTo = "-1s")
        Mono<Integer> backMono() {
            return Mono.fromSupplier(() -> ++transfers);
        }

        @DistributedLocked(key = "'ignored'", whenLost = WhenLost.IGNORE)
        @DistributedLocked(key = "'strict'")
        String losing(String name, CompletableFuture<Void> lost, boolean force) {
            LockHandle.current().orElseThrow().onLost(() -> lost.complete(null));
            application.locks().forceRelease(name);
            lost.join();
            return "returned";
        }

        @DistributedLocked(key = "'strict'")
        @DistributedLocked(key = "'stopping'", whenLost = WhenLost.INTERRUPT)
        CompletableFuture<String> interrupted(AtomicReference<LockHandle> handle, CompletableFuture<String> body) {
            handle.set(LockHandle.current().orElseThrow());
            return body;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Configured {

        @Bean
        Work work() {
            return new Work();
        }
    }
}
