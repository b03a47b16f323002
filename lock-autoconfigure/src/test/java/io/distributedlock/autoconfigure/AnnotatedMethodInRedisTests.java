/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distributedlock.LockAssert;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.testing.EmbeddedRedis;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** All together: two applications, an annotation, and a real Redis. */
class AnnotatedMethodInRedisTests {

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + redis.port())
            .withBean(Shop.class);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @Test
    void holdsTheLockWhileTheMethodRuns() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            context.getBean(Shop.class).pay("1", () -> {
                LockAssert.assertLocked();
                assertThat(locks.inspect("order:1")).isPresent();
            });
            assertThat(locks.inspect("order:1")).isEmpty();
        });
    }

    @Test
    void keepsAnotherApplicationOut() {
        application.run(one -> application.run(other -> {
            Shop shop = other.getBean(Shop.class);
            AtomicBoolean ran = new AtomicBoolean();
            one.getBean(Shop.class).pay("2", () -> {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> shop.pay("2", () -> ran.set(true)));
                assertThat(shop.payUnlessBusy("2")).isNull();
                shop.pay("3", () -> {});
            });
            assertThat(ran).isFalse();
            assertThat(shop.payUnlessBusy("2")).isEqualTo("paid");
        }));
    }

    static class Shop {

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "0")
        void pay(String id, Runnable body) {
            body.run();
        }

        @DistributedLocked(name = "order", key = "#id", waitUpTo = "0", whenBusy = WhenBusy.SKIP)
        String payUnlessBusy(String id) {
            return "paid";
        }
    }
}
