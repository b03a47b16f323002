/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.ServerClockSetBackEvent;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Settings that change how a lock is waited for and given back, and what an application hears of losses. */
class LockSettingsInRedisTests {

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class,
                    DistributedLockMetricsAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static void delete(String key) {
        try (RespClient client = redis.connect()) {
            assertThat(client.number("DEL", key)).isEqualTo(1);
        }
    }

    private static double lost(MeterRegistry registry) {
        return registry.find("distributed.lock.lost").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void aRetainedLockIsInspectedAsSuchAndGoesToAnotherApplicationThatWaits() {
        application
                .withPropertyValues("distributed-lock.retention=1m", "distributed-lock.shutdown-grace=1m")
                .run(one -> application.run(other -> {
                    LockOperations here = one.getBean(LockOperations.class);
                    LockOperations there = other.getBean(LockOperations.class);
                    here.acquire(LockRequest.of("kept")).close();
                    assertThat(here.inspect("kept"))
                            .hasValueSatisfying(
                                    state -> assertThat(state.retained()).isTrue());

                    LockRequest soon = LockRequest.of("kept").waitUpTo(Noise.patience());
                    try (LockHandle handle = there.acquire(soon)) {
                        assertThat(handle.isHeld()).isTrue();
                        assertThat(here.inspect("kept"))
                                .hasValueSatisfying(
                                        state -> assertThat(state.retained()).isFalse());
                    }
                    here.acquire(LockRequest.of("kept")).close();
                }));
        try (RespClient client = redis.connect()) {
            assertThat(client.number("DBSIZE"))
                    .as("keys after the applications have stopped")
                    .isZero();
        }
    }

    @Test
    void aReleaseThatIsNotAwaitedReportsALossByAnEventAndAMetric() {
        application
                .withPropertyValues("distributed-lock.release=async")
                .withBean(SimpleMeterRegistry.class)
                .withBean(Listener.class)
                .run(context -> {
                    LockHandle handle = context.getBean(LockOperations.class).acquire(LockRequest.of("gone"));
                    delete("lock:{gone}");

                    handle.close();

                    Listener listener = context.getBean(Listener.class);
                    await().untilAsserted(() -> assertThat(listener.events).hasSize(1));
                    assertThat(listener.events.get(0).lockName()).isEqualTo("gone");
                    assertThat(listener.events.get(0).fencingToken()).isEqualTo(handle.fencingToken());
                    await().untilAsserted(() -> assertThat(lost(context.getBean(MeterRegistry.class)))
                            .isEqualTo(1));
                });
    }

    @Test
    void aClockThatWasSetBackIsCounted() {
        application.withBean(SimpleMeterRegistry.class).run(context -> {
            context.publishEvent(new ServerClockSetBackEvent("any", Duration.ofSeconds(5)));
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("distributed.lock.server.clock.set.back")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(lost(registry)).isZero();
        });
    }

    @Test
    void aLossThatTheCallerSeesIsPublishedOnceToo() {
        application.withBean(Listener.class).run(context -> {
            LockHandle handle = context.getBean(LockOperations.class).acquire(LockRequest.of("gone"));
            delete("lock:{gone}");
            Listener listener = context.getBean(Listener.class);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> handle.extend(Duration.ofMinutes(1)));
            await().untilAsserted(() -> assertThat(listener.events).hasSize(1));

            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            LockHandle awaited = context.getBean(LockOperations.class).acquire(LockRequest.of("gone"));
            delete("lock:{gone}");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(awaited::close);

            await().untilAsserted(() -> assertThat(listener.events).hasSize(2));
        });
    }

    @Test
    void moreWaitersThanAllowedAreRefused() {
        application.withPropertyValues("distributed-lock.max-waiters=1").run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockHandle handle = locks.acquire(LockRequest.of("wanted"));
            CompletableFuture<LockHandle> waiting =
                    locks.acquireAsync(LockRequest.of("wanted")).toCompletableFuture();
            CompletableFuture<Throwable> refused = Background.supply(() -> {
                try (LockHandle none = locks.acquire(LockRequest.of("wanted"))) {
                    return new AssertionError("granted");
                } catch (LockUnavailableException ex) {
                    return ex;
                }
            });

            assertThat(refused.join()).hasMessageContaining("(maxWaiters)");
            handle.close();
            waiting.join().close();
        });
    }

    @Test
    void metersAreOptional() {
        application
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context).hasNotFailed());
        application.run(context -> assertThat(context).hasNotFailed());
    }

    static class Listener {

        final List<LockLostEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void lost(LockLostEvent event) {
            events.add(event);
        }
    }
}
