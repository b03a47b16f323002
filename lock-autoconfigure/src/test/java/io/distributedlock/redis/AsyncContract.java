/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The same without blocking anybody. */
abstract class AsyncContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("later");

    AsyncContract(LockServer server) {
        super(server);
    }

    @Test
    void grants() {
        LockHandle handle = TestCallers.get(acquire(first, REQUEST));
        assertThat(handle.isHeld()).isTrue();
        assertThat(handle.name()).isEqualTo("later");
        assertThat(isBusy(first, "later")).isTrue();
        assertThat(isBusy(second, "later")).isTrue();
        handle.close();
        assertThat(isBusy(second, "later")).isFalse();
    }

    @Test
    void failsTheStageIfTheLockIsBusy() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            for (RedisLockTemplate instance : new RedisLockTemplate[] {first, second}) {
                assertBusy(instance, REQUEST.noWait(), Duration.ZERO);
                assertBusy(instance, REQUEST.waitUpTo(millis(200)), millis(200));
            }
            assertThat(handle.isHeld()).isTrue();
        }
    }

    private static void assertBusy(RedisLockTemplate instance, LockRequest request, Duration wait) {
        Stopwatch watch = Stopwatch.start();
        assertThat(instance.acquireAsync(request))
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(LockNotAcquiredException.class);
        assertThat(watch.elapsed()).isBetween(wait, wait.plus(Noise.now()));
    }

    @Test
    void failsThroughTheStage() {
        LockHandle handle = first.acquire(REQUEST);
        String key = onlyKey();
        handle.close();
        try (RespClient client = redisOf(key)) {
            client.call("SET", key, "garbage");
            assertThat(first.acquireAsync(REQUEST))
                    .failsWithin(Noise.LATEST)
                    .withThrowableThat()
                    .withCauseInstanceOf(LockUnavailableException.class);
            client.call("DEL", key);
        }
    }

    @Test
    void doesNotBlockTheCallingThread() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            Stopwatch watch = Stopwatch.start();
            CompletableFuture<LockHandle> one = acquire(second, REQUEST.waitForever());
            CompletableFuture<LockHandle> two = acquire(first, REQUEST.waitForever());
            assertThat(watch.elapsed()).isLessThan(Noise.now());
            assertThat(one).isNotDone();
            assertThat(two).isNotDone();
            handle.close();
            one.thenAccept(LockHandle::close);
            two.thenAccept(LockHandle::close);
            TestCallers.get(CompletableFuture.allOf(one, two));
        }
        await().until(() -> keys().isEmpty());
    }

    /** What depends on the stage may block: it runs neither on the timer nor on a thread of the network. */
    @Test
    void completesOnAThreadOfItsOwn() {
        CompletableFuture<String> thread = new CompletableFuture<>();
        CountDownLatch proceed = new CountDownLatch(1);
        LockHandle other = second.acquire(REQUEST);
        CompletableFuture<LockHandle> future =
                acquire(first, REQUEST.lease(millis(3_000)).waitForever());
        CompletableFuture<Void> blocked = future.thenAccept(handle -> {
            thread.complete(Thread.currentThread().getName());
            awaitLatch(proceed, Duration.ofSeconds(10));
            handle.close();
        });
        other.close();
        assertThat(TestCallers.get(thread))
                .doesNotContain("timer")
                .doesNotContainIgnoringCase("lettuce")
                .doesNotContainIgnoringCase("netty");
        HoldAssertions.awaitRenewals(TestCallers.get(future), 1);
        first.acquire(LockRequest.of("other")).close();
        proceed.countDown();
        TestCallers.get(blocked);
    }

    @Test
    void leavesTheQueueWhenItIsCancelled() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            CompletableFuture<LockHandle> elsewhere = acquire(second, REQUEST.waitForever());
            CompletableFuture<LockHandle> here = acquire(first, REQUEST.waitForever());
            await().until(() -> waiting() == 1);
            assertThat(elsewhere.cancel(true)).isTrue();
            assertThat(here.cancel(true)).isTrue();
            await().until(() -> waiting() == 0);
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(keys()).isEmpty();
    }

    /** Cancelled before, while or after the lock is granted: it is free in the end. */
    @Test
    void leavesNothingBehindWhenItIsCancelledAtAnyMoment() {
        long seed = Seeds.of("async.seed");
        Random random = new Random(seed);
        LockRequest lasting = REQUEST.lease(Duration.ofMinutes(2)).waitForever();
        int cancelled = 0;
        // Adapts to the machine, so that some hit and some come too late.
        int longest = 400_000;
        for (int i = 0; i < 500; i++) {
            CompletableFuture<LockHandle> future = acquire(i % 2 == 0 ? first : second, lasting);
            if (!RandomMoments.isDoneWithin(random.nextInt(longest), future) && future.cancel(false)) {
                cancelled++;
                longest += longest / 20;
            } else {
                TestCallers.get(future).close();
                longest -= longest / 20;
            }
        }
        assertThat(cancelled).as("cancellations that hit, seed %d", seed).isBetween(1, 499);
        await("nothing is left, seed " + seed).until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
        assertThat(isBusy(first, "later")).isFalse();
        assertThat(isBusy(second, "later")).isFalse();
    }

    @Test
    void cancellingLetsTheNextWaiterIn() {
        LockHandle handle = first.acquire(REQUEST);
        CompletableFuture<LockHandle> cancelled = acquire(second, REQUEST.waitForever());
        await().until(() -> waiting() == 1);
        CompletableFuture<LockHandle> next = acquire(template(Templates.PATIENT), REQUEST.waitForever());
        await().until(() -> waiting() == 2);
        cancelled.cancel(true);
        await().until(() -> waiting() == 1);
        Stopwatch watch = Stopwatch.start();
        handle.close();
        TestCallers.get(next).close();
        assertThat(watch.elapsed()).isLessThan(Noise.now());
    }

    @Test
    void cancellingAfterTheGrantDoesNothing() {
        CompletableFuture<LockHandle> future = acquire(first, REQUEST);
        LockHandle handle = TestCallers.get(future);
        assertThat(future.cancel(true)).isFalse();
        assertThat(handle.isHeld()).isTrue();
        assertThat(isBusy(second, "later")).isTrue();
        handle.close();
    }

    @Test
    void twoOfTheSameThreadExcludeEachOther() {
        LockHandle one = TestCallers.get(acquire(first, REQUEST));
        assertBusy(first, REQUEST.noWait(), Duration.ZERO);
        one.close();
        TestCallers.get(acquire(first, REQUEST.noWait())).close();
    }

    @Test
    void closesThroughAStage() {
        LockHandle handle = TestCallers.get(acquire(first, REQUEST));
        TestCallers.get(handle.closeAsync().toCompletableFuture());
        assertThat(keys()).isEmpty();
        assertThat(handle.isHeld()).isFalse();
        TestCallers.get(handle.closeAsync().toCompletableFuture());
        assertThat(isBusy(second, "later")).isFalse();
    }

    @Test
    void entersAgainByTheOwnerThatTheRequestNames() {
        LockRequest owned = REQUEST.logicalOwner(LockOwner.create());
        LockHandle outer = TestCallers.get(acquire(first, owned));
        LockHandle inner = TestCallers.get(acquire(first, owned.noWait()));
        assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        outer.close();
        assertThat(isBusy(second, "later")).isTrue();
        inner.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void isRenewed() {
        HoldAssertions.assertUnlessStalled(millis(150), this::assertRenewed);
    }

    private void assertRenewed() {
        LockHandle handle = TestCallers.get(acquire(first, leased("later", 900)));
        HoldAssertions.assertHeldFor(
                handle, millis(1_500), () -> assertThat(onlyTtl()).isPositive());
        handle.close();
    }

    private static CompletableFuture<LockHandle> acquire(RedisLockTemplate instance, LockRequest request) {
        return instance.acquireAsync(request).toCompletableFuture();
    }

    private int waiting() {
        return first.inspect("later").map(LockState::waitingInstances).orElse(0);
    }
}
