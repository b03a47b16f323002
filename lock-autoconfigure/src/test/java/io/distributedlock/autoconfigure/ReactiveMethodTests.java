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
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.testing.ReachableHeap;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Annotated methods that return a publisher. */
class ReactiveMethodTests {

    private static LockedApplication application;

    private final Work work = application.bean(Work.class);

    private final Sinks.One<String> body = Sinks.one();

    @BeforeAll
    static void start() {
        application = new LockedApplication(Work.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void leavesNothing() {
        application.awaitNoKeys();
        assertThat(LockHandle.current()).isEmpty();
    }

    private static Throwable failureOf(Mono<?> mono) {
        return catchThrowable(() -> mono.block(LockedApplication.LONG));
    }

    private static void awaitHeld(String name) {
        await().atMost(LockedApplication.LONG).until(() -> application.isHeld(name));
    }

    @Test
    void eachSubscriptionIsACallUnderTheLock() {
        AtomicInteger runs = new AtomicInteger();
        Mono<String> mono = work.mono("k", () -> {
            runs.incrementAndGet();
            assertThat(application.isHeld("work:k")).isTrue();
            return Mono.just("done");
        });
        assertThat(runs).hasValue(0);
        assertThat(application.isHeld("work:k")).isFalse();
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("done");
        assertThat(application.isHeld("work:k")).isFalse();
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("done");
        assertThat(runs).hasValue(2);
    }

    @Test
    void theKeyIsEvaluatedForEachSubscription() {
        StringBuilder key = new StringBuilder("first");
        Mono<String> mono = work.byText(key);
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:first");
        key.replace(0, 5, "second");
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:second");
        key.setLength(0);
        assertThat(failureOf(mono)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void waitsWithoutAThread() {
        LockHandle other = application.hold("work:k");
        CompletableFuture<String> result =
                work.mono("k", () -> Mono.just("done")).toFuture();
        assertThat(result).isNotDone();
        other.close();
        assertThat(result).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
    }

    @Test
    void releasesHoweverTheMethodFails() {
        assertThat(failureOf(work.mono("k", () -> Mono.error(new IllegalStateException("later")))))
                .hasMessage("later");
        assertThat(failureOf(work.mono("k", () -> {
                    throw new IllegalStateException("at once");
                })))
                .hasMessage("at once");
        assertThat(failureOf(work.mono("k", () -> null))).hasMessageContaining("returned null");
        assertThat(work.mono("k", Mono::empty).block(LockedApplication.LONG)).isNull();
    }

    @Test
    void cancellingReleases() {
        Disposable subscription = work.mono("k", body::asMono).subscribe();
        await().atMost(LockedApplication.LONG).until(() -> body.currentSubscriberCount() == 1);
        assertThat(application.isHeld("work:k")).isTrue();
        subscription.dispose();
        application.awaitFree("work:k");
        assertThat(body.currentSubscriberCount()).isZero();
    }

    @Test
    void cancellingWhileItWaitsLeavesTheQueue() {
        LockHandle other = application.hold("work:k");
        AtomicInteger runs = new AtomicInteger();
        Disposable subscription = work.mono("k", () -> Mono.fromSupplier(() -> "" + runs.incrementAndGet()))
                .subscribe();
        CompletableFuture<String> next = work.mono("k", () -> Mono.just("done")).toFuture();
        subscription.dispose();
        other.close();
        assertThat(next).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
        assertThat(runs).hasValue(0);
    }

    @Test
    void demandGoesThrough() {
        List<Integer> values = new CopyOnWriteArrayList<>();
        AtomicInteger made = new AtomicInteger();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(2);
            }

            @Override
            protected void hookOnNext(Integer value) {
                values.add(value);
            }
        };
        work.flux("k", () -> Flux.range(1, 5).doOnNext(value -> made.incrementAndGet()))
                .subscribe(subscriber);
        await().atMost(LockedApplication.LONG).until(() -> made.get() == 2);
        assertThat(application.isHeld("work:k")).isTrue();
        subscriber.request(1);
        awaitValues(values, 1, 2, 3);
        assertThat(application.isHeld("work:k")).isTrue();
        subscriber.request(10);
        awaitValues(values, 1, 2, 3, 4, 5);
        assertThat(made).hasValue(5);
        application.awaitFree("work:k");
    }

    private static void awaitValues(List<Integer> values, Integer... expected) {
        await().atMost(LockedApplication.LONG)
                .untilAsserted(() -> assertThat(values).containsExactly(expected));
    }

    @Test
    void aSubscriberThatTakesAFewReleases() {
        Flux<Integer> flux = work.flux("k", () -> Flux.range(1, 1_000));
        assertThat(flux.take(3).collectList().block(LockedApplication.LONG)).containsExactly(1, 2, 3);
        application.awaitFree("work:k");
    }

    @Test
    void nestedSubscriptionsEnterTheSameLockOnAnyThread() {
        Mono<Boolean> nested = work.mono(
                        "k",
                        () -> Mono.deferContextual(context -> {
                            long token =
                                    ReactiveLocks.current(context).orElseThrow().fencingToken();
                            return Mono.just("x")
                                    .publishOn(Schedulers.parallel())
                                    .flatMap(x -> work.atOnce("k"))
                                    .map(inner -> "" + (inner == token));
                        }))
                .map(Boolean::valueOf);
        assertThat(nested.block(LockedApplication.LONG)).isTrue();
    }

    /** They have the same lock around them, but are not inside of each other. */
    @Test
    void parallelBranchesUnderOneLockExcludeEachOther() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Mono<String> branch = work.mono(
                "stock",
                () -> Mono.fromSupplier(() -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            assertThat(application.isHeld("work:stock")).isTrue();
                            inside.decrementAndGet();
                            return "done";
                        })
                        .subscribeOn(Schedulers.boundedElastic()));
        Mono<String> all =
                work.mono("order", () -> Flux.range(0, 20).flatMap(i -> branch).last());
        assertThat(all.block(LockedApplication.LONG)).isEqualTo("done");
        assertThat(most).hasValue(1);
    }

    @Test
    void theHandleIsCurrentWhileTheSourceIsSubscribedTo() {
        String name = work.mono(
                        "k",
                        () -> Mono.fromSupplier(
                                () -> LockHandle.current().orElseThrow().name()))
                .block(LockedApplication.LONG);
        assertThat(name).isEqualTo("work:k");
    }

    @Test
    void eachSubscriptionHasTheHandleOfItsOwnCall() {
        Mono<String> mono = work.handleOrFallback("k", null);
        assertThat(mono.block(LockedApplication.LONG)).isEqualTo("work:k");
        application.awaitFree("work:k");
        try (LockHandle other = application.hold("work:k")) {
            assertThat(mono.block(LockedApplication.LONG)).isEqualTo("null");
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void failsIfTheLockIsBusyOrSkips() {
        try (LockHandle other = application.hold("work:k")) {
            assertThat(failureOf(work.atOnce("k"))).isInstanceOf(LockNotAcquiredException.class);
            assertThat(work.skipped("k").collectList().block(LockedApplication.LONG))
                    .isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(work.skipped("k").collectList().block(LockedApplication.LONG))
                .containsExactly(1, 2);
    }

    @Test
    void theFallbackIsSubscribedToInsteadAndTheHandleIsFilledIn() {
        Flux<String> flux = work.withFallback("k", null);
        try (LockHandle other = application.hold("work:k")) {
            assertThat(flux.collectList().block(LockedApplication.LONG)).containsExactly("busy", "too");
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(flux.collectList().block(LockedApplication.LONG)).containsExactly("true");
        assertThat(flux.collectList().block(LockedApplication.LONG)).containsExactly("true");
    }

    @Test
    void aLossFailsTheSubscriptionOnceTheMethodIsDone() {
        CompletableFuture<String> result = work.mono("k", body::asMono).toFuture();
        await().atMost(LockedApplication.LONG).until(() -> body.currentSubscriberCount() == 1);
        assertThat(application.locks().forceRelease("work:k")).isTrue();
        body.tryEmitValue("done");
        assertThat(result)
                .failsWithin(LockedApplication.LONG)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(LockLostException.class);
    }

    @Test
    void aLossCancelsTheSubscriptionIfConfigured() {
        Sinks.Many<String> values = Sinks.many().unicast().onBackpressureBuffer();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        work.interrupted("k", values.asFlux()).subscribe(value -> {}, failure::set);
        await().atMost(LockedApplication.LONG).until(() -> values.currentSubscriberCount() == 1);
        assertThat(application.locks().forceRelease("work:k")).isTrue();
        await().atMost(LockedApplication.LONG).until(() -> failure.get() != null);
        assertThat(failure.get()).isInstanceOf(LockLostException.class);
        assertThat(values.currentSubscriberCount()).isZero();
    }

    @Test
    void aLossIsIgnoredIfConfigured() {
        CompletableFuture<String> result = work.ignoring("k", body.asMono()).toFuture();
        await().atMost(LockedApplication.LONG).until(() -> body.currentSubscriberCount() == 1);
        assertThat(application.locks().forceRelease("work:k")).isTrue();
        body.tryEmitValue("done");
        assertThat(result).succeedsWithin(LockedApplication.LONG).isEqualTo("done");
    }

    @Test
    void otherKindsOfPublishersAreLockedToo() {
        Flow.Publisher<Integer> publisher = work.flow("k");
        assertThat(JdkFlowAdapter.flowPublisherToFlux(publisher)
                        .map(value -> value + (application.isHeld("work:k") ? 10 : 0))
                        .collectList()
                        .block(LockedApplication.LONG))
                .containsExactly(11, 12);
    }

    @Test
    void publishersOfOtherLibrariesAreLockedToo() {
        assertThat(work.single("k").blockingGet()).isTrue();
        assertThat(work.flowable("k").toList().blockingGet()).containsExactly(1, 2);
        assertThat(work.flowable("k").blockingFirst()).isEqualTo(1);
    }

    @Test
    void tenThousandWaitInSixHundredBytesEachAndWithoutAThread() {
        int waiting = 10_000;
        AtomicInteger done = new AtomicInteger();
        Mono<String> mono = work.mono("k", () -> Mono.just("done")).doOnNext(value -> done.incrementAndGet());
        try (LockHandle other = application.hold("work:k")) {
            subscribe(mono, waiting).forEach(Disposable::dispose);
            int threads = Thread.getAllStackTraces().size();
            long before = ReachableHeap.settledBytes();
            List<Disposable> subscriptions = subscribe(mono, waiting);
            long each = (ReachableHeap.bytes() - before) / waiting;
            System.out.println("ReactiveMethodTests: " + each + " bytes of heap for each subscription that waits");
            assertThat(other.isHeld()).isTrue();
            assertThat(Thread.getAllStackTraces().size() - threads).isLessThan(20);
            assertThat(each).as("bytes for each that waits").isLessThan(600);
            assertThat(subscriptions).hasSize(waiting);
        }
        await().atMost(LockedApplication.LONG).until(() -> done.get() == waiting);
    }

    private static List<Disposable> subscribe(Mono<String> mono, int times) {
        List<Disposable> subscriptions = new ArrayList<>(times);
        for (int i = 0; i < times; i++) {
            subscriptions.add(mono.subscribe());
        }
        return subscriptions;
    }

    @Test
    void acquisitionsOfOnesOwnNestAsWell() {
        Mono<Long> token = work.mono(
                        "k",
                        () -> Mono.deferContextual(context -> {
                            LockOwner owner = ReactiveLocks.nestedIn(context);
                            return Mono.fromCompletionStage(application
                                            .locks()
                                            .acquireAsync(LockRequest.of("work:k")
                                                    .noWait()
                                                    .logicalOwner(owner)))
                                    .flatMap(handle -> Mono.fromCompletionStage(handle.closeAsync())
                                            .thenReturn("" + handle.fencingToken()));
                        }))
                .map(Long::valueOf);
        assertThat(token.block(LockedApplication.LONG)).isPositive();
    }

    static class Work {

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Mono<String> mono(String key, Supplier<Mono<String>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#text")
        Mono<String> byText(StringBuilder text) {
            return Mono.just(LockHandle.current().orElseThrow().name());
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Flux<Integer> flux(String key, Supplier<Flux<Integer>> body) {
            return body.get();
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0")
        Mono<Long> atOnce(String key) {
            return Mono.deferContextual(context ->
                    Mono.just(ReactiveLocks.current(context).orElseThrow().fencingToken()));
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        Flux<Integer> skipped(String key) {
            return Flux.just(1, 2);
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", fallback = "other")
        Flux<String> withFallback(String key, LockHandle handle) {
            return Flux.defer(() -> Flux.just("" + handle.isHeld()));
        }

        Flux<String> other(String key, LockHandle handle) {
            return Flux.just("busy", "too");
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "0", fallback = "handleOf")
        Mono<String> handleOrFallback(String key, LockHandle handle) {
            return Mono.just(handle.name());
        }

        Mono<String> handleOf(String key, LockHandle handle) {
            return Mono.just("" + handle);
        }

        @DistributedLocked(name = "work", key = "#key", whenLost = WhenLost.INTERRUPT)
        Flux<String> interrupted(String key, Flux<String> body) {
            return body;
        }

        @DistributedLocked(name = "work", key = "#key", whenLost = WhenLost.IGNORE)
        Mono<String> ignoring(String key, Mono<String> body) {
            return body;
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Single<Boolean> single(String key) {
            return Single.fromCallable(() -> LockHandle.current().orElseThrow().isHeld());
        }

        @DistributedLocked(name = "work", key = "#key", waitUpTo = "60s")
        Flowable<Integer> flowable(String key) {
            return Flowable.just(1, 2);
        }

        @DistributedLocked(name = "work", key = "#key")
        Flow.Publisher<Integer> flow(String key) {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.just(1, 2));
        }
    }
}
