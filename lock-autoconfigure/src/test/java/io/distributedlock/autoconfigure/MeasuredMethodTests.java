/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockActivity;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.testing.EmbeddedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * What the metrics and the monitor say of annotated methods and of the application's own requests, with a real Redis.
 */
class MeasuredMethodTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockMetricsAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
            .withBean(SimpleMeterRegistry.class)
            .withBean(Shop.class);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    static class Shop {

        @DistributedLocked(name = "order", key = "#id")
        public void pay(String id, Consumer<String> work) {
            work.accept(id);
        }

        @DistributedLocked(key = "'later'", waitUpTo = "-1s")
        public CompletableFuture<String> payLater(CompletableFuture<String> paid) {
            return paid;
        }

        @DistributedLocked(key = "'later'", waitUpTo = "-1s")
        public Mono<String> payReactively(CompletableFuture<String> paid) {
            return Mono.fromFuture(paid);
        }

        @DistributedLocked(key = "'stock'", waitUpTo = "0")
        public void count(Runnable work) {
            work.run();
        }

        @DistributedLocked(name = "report", whenBusy = WhenBusy.SKIP, waitUpTo = "0")
        public void report(Runnable work) {
            work.run();
        }
    }

    private static long waits(MeterRegistry registry, String... tags) {
        return registry.get("distributed.lock.wait").tags(tags).timer().count();
    }

    @Test
    void theTagIsTheNameOfTheAnnotationOrTheMethodAndNeverTheKey() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            shop.pay("1", id -> shop.pay("1", inner -> {}));
            shop.count(() -> {});
            context.getBean(LockOperations.class).acquire(LockRequest.of("own")).close();

            assertThat(waits(registry, "lock", "order", "outcome", "acquired", "path", "free"))
                    .isOne();
            assertThat(waits(registry, "lock", "order", "outcome", "re-entered", "path", "re-entered"))
                    .isOne();
            assertThat(waits(registry, "lock", "Shop.count", "outcome", "acquired"))
                    .isOne();
            assertThat(waits(registry, "lock", "none", "outcome", "acquired")).isOne();
            assertThat(registry.get("distributed.lock.hold")
                            .tags("lock", "order", "outcome", "released")
                            .timer()
                            .count())
                    .isOne();
            assertThat(registry.get("distributed.lock.command")
                            .tags("command", "acquire", "result", "ok")
                            .timer()
                            .count())
                    .isEqualTo(3);
            assertThat(registry.get("distributed.lock.connected").gauge().value())
                    .isOne();
        });
    }

    @Test
    void busyAndSkippedCallsAreDistinguished() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            LockOperations locks = context.getBean(LockOperations.class);
            List<String> held = new ArrayList<>();
            shop.count(() -> shop.report(
                    () -> context.getBean(LockMonitor.class).activity().held().forEach(hold -> held.add(hold.name()))));
            for (String name : held) {
                try (LockHandle other = locks.acquireAsync(LockRequest.of(name))
                        .toCompletableFuture()
                        .join()) {
                    if (name.equals("stock")) {
                        assertThatExceptionOfType(LockNotAcquiredException.class)
                                .isThrownBy(() -> shop.count(() -> {}));
                    } else {
                        shop.report(() -> {
                            throw new AssertionError("not skipped, though " + other + " is held");
                        });
                    }
                }
            }

            assertThat(held).hasSize(2);
            assertThat(waits(registry, "lock", "Shop.count", "outcome", "busy", "path", "none"))
                    .isOne();
            assertThat(waits(registry, "lock", "report", "outcome", "skipped")).isOne();
        });
    }

    @Test
    void theMonitorNamesTheMethod() {
        runner.run(context -> context.getBean(Shop.class).pay("2", id -> {
            LockActivity.Held held =
                    context.getBean(LockMonitor.class).activity().held().get(0);
            assertThat(held.origin().method()).isEqualTo(Shop.class.getName() + "#pay(String, Consumer)");
            assertThat(held.caller()).isEqualTo(Thread.currentThread().getName());
        }));
    }

    private static LockActivity activity(ApplicationContext context) {
        return context.getBean(LockMonitor.class).activity();
    }

    @Test
    void theMonitorNamesTheMethodOfFuturesAndPublishers() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> paid = new CompletableFuture<>();
            CompletableFuture<String> first = shop.payLater(paid);
            await().atMost(LONG).until(() -> activity(context).held().size() == 1);
            CompletableFuture<String> second = shop.payReactively(paid).toFuture();

            String future = Shop.class.getName() + "#payLater(CompletableFuture)";
            String publisher = Shop.class.getName() + "#payReactively(CompletableFuture)";
            assertThat(activity(context).held()).singleElement().satisfies(held -> {
                assertThat(held.origin().method()).isEqualTo(future);
                assertThat(held.caller()).isEqualTo("asynchronous");
            });
            assertThat(activity(context).waiting()).singleElement().satisfies(waiting -> {
                assertThat(waiting.holder()).isEqualTo(activity(context).instance());
                assertThat(waiting.origin().method()).isEqualTo(publisher);
                assertThat(waiting.caller()).isEqualTo("asynchronous");
            });
            paid.complete("paid");
            assertThat(first).succeedsWithin(LONG);
            assertThat(second).succeedsWithin(LONG);
        });
    }

    @Test
    void aCancelledFutureOrSubscriptionIsCountedOnce() {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            LockHandle holder = context.getBean(LockOperations.class).acquire(LockRequest.of("later"));
            CompletableFuture<String> future = shop.payLater(new CompletableFuture<>());
            Disposable subscription =
                    shop.payReactively(new CompletableFuture<>()).subscribe();
            assertThat(registry.get("distributed.lock.waiting").gauge().value()).isEqualTo(2);

            future.cancel(false);
            subscription.dispose();

            await().atMost(LONG)
                    .until(() ->
                            registry.get("distributed.lock.waiting").gauge().value() == 0);
            holder.close();
            shop.payLater(CompletableFuture.completedFuture("paid")).join();
            shop.payReactively(CompletableFuture.completedFuture("paid")).block(LONG);
            for (String label : List.of("Shop.payLater", "Shop.payReactively")) {
                assertThat(waits(registry, "lock", label, "outcome", "cancelled", "path", "none"))
                        .as(label)
                        .isOne();
                assertThat(registry.get("distributed.lock.wait").tag("lock", label).timers().stream()
                                .mapToLong(Timer::count)
                                .sum())
                        .as(label)
                        .isEqualTo(2);
                assertThat(registry.get("distributed.lock.hold").tag("lock", label).timers().stream()
                                .mapToLong(Timer::count)
                                .sum())
                        .as(label)
                        .isOne();
            }
        });
    }

    @Test
    void aLossIsCountedOnceWithItsReason() {
        runner.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            LockHandle handle = locks.acquire(LockRequest.of("lost"));
            locks.forceRelease("lost");
            assertThatExceptionOfType(Exception.class).isThrownBy(handle::close);

            await().untilAsserted(() -> assertThat(registry.find("distributed.lock.lost").counters().stream()
                            .mapToDouble(counter -> counter.count())
                            .sum())
                    .isOne());
            assertThat(registry.get("distributed.lock.hold")
                            .tag("outcome", "lost")
                            .timer()
                            .count())
                    .isOne();
        });
    }

    @Test
    void withoutMicrometerNothingListens() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        DistributedLockMetricsAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockListener.class));
    }
}
