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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** All together: two applications, an annotation, and a real Redis. */
class AnnotatedMethodInRedisTests extends AbstractRedisApplicationTests {

    private final ApplicationContextRunner application = application().withBean(Shop.class);

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
