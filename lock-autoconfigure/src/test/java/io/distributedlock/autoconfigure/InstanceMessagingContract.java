/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.HoldReport;
import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockDeadlockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Mono;

/** Two applications exchange messages about their holds through a real Redis. */
abstract class InstanceMessagingContract {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final TestRedis redis;

    private final ApplicationContextRunner runner;

    InstanceMessagingContract(TestRedis redis) {
        this.redis = redis;
        this.runner = redis.application().withBean(Told.class);
    }

    static class Told {

        /** The threads on which the events were received. */
        private final List<String> threads = new CopyOnWriteArrayList<>();

        @EventListener
        void add(LockDeadlockEvent event) {
            threads.add(Thread.currentThread().getName());
        }
    }

    static class Inner {

        @DistributedLocked(key = "#name", waitUpTo = "60s")
        public Mono<String> mono(String name) {
            return Mono.just(name);
        }

        @DistributedLocked(key = "#name", waitUpTo = "60s")
        public CompletableFuture<String> future(String name) {
            return CompletableFuture.completedFuture(name);
        }
    }

    static class Outer {

        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @DistributedLocked(key = "#name", waitUpTo = "60s")
        public Mono<String> mono(String name, String next, Meeting both) {
            both.arrive();
            return Mono.fromFuture(both.over).then(Mono.defer(() -> inner.mono(next)));
        }

        @DistributedLocked(key = "#name", waitUpTo = "60s")
        public CompletableFuture<String> future(String name, String next, Meeting both) {
            both.arrive();
            both.over.join();
            return inner.future(next);
        }
    }

    /** Over when both callers have their first lock. */
    static class Meeting {

        private final AtomicInteger missing = new AtomicInteger(2);

        private final CompletableFuture<Void> over = new CompletableFuture<>();

        void arrive() {
            if (missing.decrementAndGet() == 0) {
                over.complete(null);
            }
        }
    }

    /** A method that locks and calls another one that does. */
    enum Kind {
        MONO {
            @Override
            CompletableFuture<String> call(ApplicationContext context, String name, String next, Meeting both) {
                return context.getBean(Outer.class).mono(name, next, both).toFuture();
            }
        },
        FUTURE {
            @Override
            CompletableFuture<String> call(ApplicationContext context, String name, String next, Meeting both) {
                return Background.supply(() -> context.getBean(Outer.class).future(name, next, both))
                        .thenCompose(done -> done);
            }
        };

        abstract CompletableFuture<String> call(ApplicationContext context, String name, String next, Meeting both);
    }

    @ParameterizedTest
    @EnumSource
    void aDeadlockOfFuturesAndPublishersIsFoundAndOneCallerIsRefused(Kind kind) {
        ApplicationContextRunner resolving = runner.withBean(Inner.class)
                .withBean(Outer.class)
                .withPropertyValues("distributed-lock.deadlock.after=300ms", "distributed-lock.deadlock.resolve=true");
        resolving.run(one -> resolving.run(two -> {
            awaitMessages(one);
            awaitMessages(two);
            Meeting both = new Meeting();
            CompletableFuture<String> first = kind.call(one, "a", "b", both);
            CompletableFuture<String> second = kind.call(two, "b", "a", both);
            assertOneCallerIsRefused(first, second);
            assertOneEvent(one, two);
        }));
    }

    private static LockOperations locks(ApplicationContext context) {
        return context.getBean(LockOperations.class);
    }

    private static Optional<HoldReport> ask(ApplicationContext requester, ApplicationContext holder, String name) {
        String instance = holder.getBean(LockMonitor.class).activity().instance();
        return requester.getBean(LockMonitor.class).holdOf(instance, name);
    }

    private static void awaitMessages(ApplicationContext context) {
        await().atMost(LONG)
                .until(() -> context.getBean(LockMonitor.class).activity().subscribed());
    }

    @Test
    void theHoldersInstanceReportsWhichThreadHoldsTheLock() {
        runner.withPropertyValues("distributed-lock.instance-label=the holder")
                .run(holder -> runner.run(requester -> {
                    awaitMessages(holder);
                    awaitMessages(requester);
                    LockHandle held = locks(holder).acquire(LockRequest.of("order: \u00fc"));
                    await().atMost(LONG)
                            .until(() -> ask(requester, holder, "order: \u00fc").isPresent());

                    assertThat(ask(requester, holder, "another")).isEmpty();
                    ask(requester, holder, "order: \u00fc").ifPresent(report -> {
                        assertThat(report.label()).isEqualTo("the holder");
                        assertThat(report.caller())
                                .isEqualTo(Thread.currentThread().getName());
                        assertThat(report.fencingToken()).isEqualTo(held.fencingToken());
                        assertThat(report.waits()).isEmpty();
                    });
                    held.close();
                }));
    }

    @Test
    void anInstanceThatDoesNotReplyDelaysTheCallerOnlyBriefly() {
        runner.run(requester -> assertThat(requester.getBean(LockMonitor.class).holdOf("AAAAAAAA", "a"))
                .isEmpty());
    }

    @Test
    void unreadableMessagesDoNoHarm() {
        runner.run(holder -> runner.run(requester -> {
            awaitMessages(holder);
            awaitMessages(requester);
            String instance = holder.getBean(LockMonitor.class).activity().instance();
            for (String channel : redis.channels("lock:", instance)) {
                for (String message : List.of(
                        "ask",
                        "ask ",
                        "ask a b c",
                        "ask AAAAAAAA 1 x",
                        "ask AAAAAAAA 1 .%%%",
                        "ask AAAAAAAA{1} 1 .YQ",
                        "ask AAAAAAAA{ 1 .YQ",
                        "tell ",
                        "tell 1 2 3")) {
                    redis.publish(channel, message);
                }
            }
            try (LockHandle held = locks(holder).acquire(LockRequest.of("a"))) {
                assertThat(held.isHeld()).isTrue();
                await().atMost(LONG).until(() -> ask(requester, holder, "a").isPresent());
            }
        }));
    }

    @Test
    void aDeadlockOfCallersOfTwoInstancesIsFoundAndOneCallerIsRefused() {
        ApplicationContextRunner resolving = runner.withPropertyValues(
                "distributed-lock.deadlock.after=300ms", "distributed-lock.deadlock.resolve=true");
        resolving.run(one -> resolving.run(two -> {
            awaitMessages(one);
            awaitMessages(two);
            CountDownLatch both = new CountDownLatch(2);
            CompletableFuture<Void> first = Background.run(() -> inOrder(locks(one), "a", "b", both));
            CompletableFuture<Void> second = Background.run(() -> inOrder(locks(two), "b", "a", both));
            assertOneCallerIsRefused(first, second);
            assertOneEvent(one, two);
        }));
    }

    /** A try that ends without an exception would hide that the caller has to release what it holds. */
    @ParameterizedTest
    @EnumSource
    void aDeadlockThroughLocksThatAreAcquiredTogetherIsFound(LockMode mode) {
        ApplicationContextRunner resolving = runner.withPropertyValues(
                "distributed-lock.deadlock.after=300ms", "distributed-lock.deadlock.resolve=true");
        resolving.run(one -> resolving.run(two -> {
            awaitMessages(one);
            awaitMessages(two);
            CompletableFuture<Void> heldTogether = new CompletableFuture<>();
            CompletableFuture<Void> heldAlone = new CompletableFuture<>();
            CompletableFuture<Void> sets = Background.run(() -> {
                try (LockHandle set = locks(two)
                        .acquire(LockRequest.ofAll(List.of("a", "c")).mode(mode).waitForever())) {
                    heldTogether.complete(null);
                    heldAlone.join();
                    try (LockHandle nested =
                            locks(two).acquire(LockRequest.of("b").waitForever())) {
                        nested.throwIfLost();
                    }
                    set.throwIfLost();
                }
            });
            heldTogether.join();
            // This caller acquires its lock last, so it is the one that is refused.
            try (LockHandle own = locks(one).acquire(LockRequest.of("b"))) {
                heldAlone.complete(null);
                assertThatExceptionOfType(LockDeadlockException.class)
                        .isThrownBy(() -> locks(one)
                                .tryAcquire(LockRequest.ofAll(List.of("a", "d")).waitForever()));
                own.throwIfLost();
            }
            sets.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
        }));
    }

    /** Not on the thread of the search, which a listener that blocks would hold up. */
    private static void assertOneEvent(ApplicationContext one, ApplicationContext two) {
        List<String> first = one.getBean(Told.class).threads;
        List<String> second = two.getBean(Told.class).threads;
        await().atMost(LONG).until(() -> first.size() + second.size() > 0);
        assertThat(Stream.concat(first.stream(), second.stream()))
                .singleElement()
                .asString()
                .isNotEqualTo("distributed-lock-deadlocks");
    }

    private static void assertOneCallerIsRefused(CompletableFuture<?> first, CompletableFuture<?> second) {
        await().atMost(LONG).until(() -> first.isDone() && second.isDone());
        assertThat(List.of(first, second))
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .singleElement()
                .satisfies(refused -> assertThat(failureOf(refused))
                        .isInstanceOf(LockDeadlockException.class)
                        .hasMessageContaining("holds 'a' and waits for 'b'"));
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return future.handle((done, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                .join();
    }

    private static void inOrder(LockOperations locks, String outer, String inner, CountDownLatch both) {
        try (LockHandle held = locks.acquire(LockRequest.of(outer))) {
            both.countDown();
            both.await();
            try (LockHandle nested = locks.acquire(LockRequest.of(inner).waitForever())) {
                nested.throwIfLost();
            }
            held.throwIfLost();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
