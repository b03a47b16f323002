/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Annotated methods that took their own lock for that of a call around them or inside, or for another one later on. */
class NestedCallTests extends AbstractRedisApplicationTests {

    private final ApplicationContextRunner application = application().withBean(Shop.class);

    @AfterEach
    void leavesNothing() {
        try (RespClient client = redis.connect()) {
            await().atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(client.keys("*")).isEmpty());
        }
    }

    /** As another caller of the same application would find it. */
    private static boolean isBusy(LockOperations locks, String name) {
        return Background.supply(() -> {
                    var handle = locks.tryAcquire(LockRequest.of(name).noWait());
                    handle.ifPresent(LockHandle::close);
                    return handle.isEmpty();
                })
                .join();
    }

    /**
     * The inner call replaced what the thread remembered of the outer one, which was then never released, or too soon.
     */
    @Test
    void anInnerCallOfAnotherKeyDoesNotReplaceTheOuterOne() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Shop shop = context.getBean(Shop.class);
            shop.pay(new Order("outer"), () -> {
                LockHandle outer = LockHandle.current().orElseThrow();
                for (int i = 0; i < 2; i++) {
                    shop.pay(new Order("inner"), () -> {
                        assertThat(LockHandle.current().orElseThrow().name()).isEqualTo("order:inner");
                        assertThat(isBusy(locks, "order:inner")).isTrue();
                        assertThat(isBusy(locks, "order:outer")).isTrue();
                    });
                    assertThat(isBusy(locks, "order:inner")).isFalse();
                    assertThat(isBusy(locks, "order:outer")).isTrue();
                    assertThat(LockHandle.current()).containsSame(outer);
                }
            });
            assertThat(LockHandle.current()).isEmpty();
            assertThat(isBusy(locks, "order:outer")).isFalse();
        });
    }

    /**
     * The return of an inner call gave back the lock of the outer one; and its token locked the outer one out of its
     * data.
     */
    @Test
    void anInnerCallOfTheSameKeyNeitherReleasesTheOuterLockNorHasAHigherToken() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            List<Long> tokens = new ArrayList<>();
            recurse(context.getBean(Shop.class), locks, 5, tokens);
            assertThat(tokens).hasSize(10).containsOnly(tokens.get(0));
            assertThat(isBusy(locks, "order:same")).isFalse();
        });
    }

    private static void recurse(Shop shop, LockOperations locks, int depth, List<Long> tokens) {
        if (depth > 0) {
            shop.pay(new Order("same"), () -> {
                tokens.add(LockHandle.current().orElseThrow().fencingToken());
                recurse(shop, locks, depth - 1, tokens);
                tokens.add(LockHandle.current().orElseThrow().fencingToken());
                assertThat(isBusy(locks, "order:same")).isTrue();
            });
        }
    }

    /** The body ran although the lock was not to be had, and its return gave back the lock of another caller. */
    @Test
    void anInnerCallThatIsRefusedNeitherRunsNorReleasesTheOuterLock() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Shop shop = context.getBean(Shop.class);
            AtomicBoolean ran = new AtomicBoolean();
            shop.pay(new Order("once"), () -> {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> shop.payOnce(new Order("once"), () -> ran.set(true)));
                assertThat(isBusy(locks, "order:once")).isTrue();
            });
            LockRequest request = LockRequest.of("order:once");
            try (LockHandle elsewhere =
                    locks.acquireAsync(request).toCompletableFuture().join()) {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> shop.payOnce(new Order("once"), () -> ran.set(true)));
                assertThat(elsewhere.isHeld()).isTrue();
                assertThat(isBusy(locks, "order:once")).isTrue();
            }
            assertThat(ran).isFalse();
        });
    }

    /** The key was computed again for the release, from an argument that the method had changed meanwhile. */
    @Test
    void theLockedKeyIsReleasedAlthoughTheArgumentHasChanged() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            Order order = new Order("before");
            context.getBean(Shop.class).pay(order, () -> {
                order.id = "after";
                assertThat(isBusy(locks, "order:before")).isTrue();
                assertThat(isBusy(locks, "order:after")).isFalse();
            });
            assertThat(isBusy(locks, "order:before")).isFalse();
        });
    }

    /** A default of the lease switched the watchdog off. */
    @Test
    void theLeaseOfTheSettingsIsRenewed() {
        application
                .withPropertyValues("distributed-lock.lease=8s")
                .run(one -> application.run(other -> {
                    LockOperations elsewhere = other.getBean(LockOperations.class);
                    LockRequest request = LockRequest.of("order:long").noWait();
                    one.getBean(Shop.class).pay(new Order("long"), () -> {
                        awaitRenewal(LockHandle.current().orElseThrow());
                        assertThat(elsewhere.tryAcquire(request)).isEmpty();
                    });
                    elsewhere.acquire(request).close();
                }));
    }

    private static void awaitRenewal(LockHandle held) {
        Duration[] before = {held.remainingLease()};
        await().atMost(Noise.patience())
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    held.throwIfLost();
                    Duration last = before[0];
                    before[0] = held.remainingLease();
                    return before[0].compareTo(last) > 0;
                });
    }

    /** An argument that a method may change. */
    public static class Order {

        private String id;

        Order(String id) {
            this.id = id;
        }

        public String getId() {
            return id;
        }
    }

    static class Shop {

        @DistributedLocked(name = "order", key = "#order.id")
        void pay(Order order, Runnable body) {
            body.run();
        }

        @DistributedLocked(name = "order", key = "#order.id", reentrant = false, waitUpTo = "0")
        void payOnce(Order order, Runnable body) {
            body.run();
        }
    }
}
