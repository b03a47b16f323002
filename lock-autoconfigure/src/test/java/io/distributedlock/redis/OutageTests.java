/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Redis is down, comes back, or is not there yet. */
class OutageTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = leased("down", 1_200);

    /** From when Redis is there again until it is used again. */
    private static final Duration RECONNECT = Duration.ofSeconds(2);

    @Test
    void callsFailWithinTheirBoundsWhileRedisIsDown() {
        RedisLockTemplate locks = direct();
        Templates.warmUp(locks);
        crash();
        assertCallsAreBounded(locks);
    }

    /** The connections stand, but nothing comes back. */
    @Test
    void callsFailWithinTheirBoundsWhileRedisIsSilent() {
        RedisLockTemplate locks = direct();
        Templates.warmUp(locks);
        redis.signal("STOP");
        assertCallsAreBounded(locks);
        redis.signal("CONT");
        await().atMost(RECONNECT.plus(Noise.LATEST)).ignoreExceptions().until(() -> {
            locks.acquire(REQUEST.noWait()).close();
            return true;
        });
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }

    private void assertCallsAreBounded(RedisLockTemplate locks) {
        Duration wait = millis(500);
        assertUnavailable(() -> locks.acquire(REQUEST.waitUpTo(wait)), wait, wait.plus(TIMEOUT));
        assertUnavailable(() -> locks.tryAcquire(REQUEST.waitUpTo(wait)), wait, wait.plus(TIMEOUT));
        assertUnavailable(() -> locks.acquire(REQUEST.noWait()), Duration.ZERO, TIMEOUT);
        assertUnavailable(() -> locks.tryAcquire(REQUEST.noWait()), Duration.ZERO, TIMEOUT);
        assertUnavailable(() -> locks.inspect("down"), Duration.ZERO, TIMEOUT);
        assertUnavailable(() -> locks.forceRelease("down"), Duration.ZERO, TIMEOUT);
        assertUnavailable(() -> locks.release("down", "owner"), Duration.ZERO, TIMEOUT);
        CompletableFuture<LockHandle> stage =
                locks.acquireAsync(REQUEST.waitUpTo(wait)).toCompletableFuture();
        assertUnavailable(() -> TestCallers.get(stage), Duration.ZERO, wait.plus(TIMEOUT));
    }

    private static void assertUnavailable(ThrowingCallable call, Duration atLeast, Duration atMost) {
        Stopwatch watch = Stopwatch.start();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.lockName()).isEqualTo("down"));
        assertThat(watch.elapsed()).isBetween(atLeast, atMost.plus(Noise.now()));
    }

    /** For as long as a command may take: other calls than acquisitions have no wait of their own. */
    @Test
    void aCallDuringAnOutageWaitsForRedis() {
        RedisLockTemplate locks = direct(Templates.settings(Duration.ofSeconds(20), Duration.ZERO));
        Templates.warmUp(locks);
        crash();
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(REQUEST.noWait()));
        TestCallers.Call<String> call = callers.call(() -> {
            try {
                return locks.inspect("down").isEmpty() ? "free" : "held";
            } catch (LockUnavailableException ex) {
                return "not waited: " + ex.getMessage();
            }
        });
        call.awaitBlocked();
        restart();
        assertThat(call.get()).isEqualTo("free");
    }

    @Test
    void locksWorkAsSoonAsRedisIsBack() {
        RedisLockTemplate locks = direct();
        Templates.warmUp(locks);
        for (int i = 0; i < 2; i++) {
            crash();
            assertUnavailable(() -> locks.acquire(REQUEST.noWait()), Duration.ZERO, TIMEOUT);
            restart();
            Stopwatch watch = Stopwatch.start();
            closeInTime(locks.acquire(REQUEST.waitUpTo(Duration.ofSeconds(10))));
            assertThat(watch.elapsed()).isLessThan(RECONNECT.plus(Noise.now()));
        }
    }

    @Test
    void callersThatWaitAreServedWhenRedisIsBack() {
        RedisLockTemplate locks = direct();
        crash();
        CompletableFuture<LockHandle> later =
                locks.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
        TestCallers.Call<Long> call = callers.call(() -> {
            LockHandle handle = locks.acquire(REQUEST.waitForever());
            closeInTime(handle);
            return handle.fencingToken();
        });
        call.awaitBlocked();
        restart();
        Stopwatch watch = Stopwatch.start();
        closeInTime(TestCallers.get(later));
        assertThat(call.get()).isPositive();
        assertThat(watch.elapsed()).isLessThan(RECONNECT.plus(Noise.now()));
    }

    /** A waiter in the queue of a server that has forgotten everything is served by the next one. */
    @Test
    void waitersSurviveARestartThatForgetsEverything() {
        RedisLockTemplate one = direct();
        RedisLockTemplate two = direct();
        LockHandle handle = one.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        TestCallers.Call<Long> call = callers.call(() -> {
            LockHandle next = two.acquire(REQUEST.waitForever());
            closeInTime(next);
            return next.fencingToken();
        });
        await().until(() -> one.inspect("down").orElseThrow().waitingInstances() == 1);
        crash();
        restart();
        Stopwatch watch = Stopwatch.start();
        assertThat(call.get()).as("never again that token").isGreaterThan(handle.fencingToken());
        assertThat(watch.elapsed()).isLessThan(RECONNECT.plus(Noise.now()));
        AbstractLockContract.awaitLatch(lost, REQUEST.lease());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    @Test
    void theTemplateStartsWithoutRedis() {
        int port = EmbeddedRedis.freePort();
        Stopwatch start = Stopwatch.start();
        RedisLockTemplate locks = templates.on(StandaloneServer.connectionFactory(port), Templates.IMPATIENT);
        assertThat(start.elapsed()).isLessThan(TIMEOUT.plus(Noise.now()));
        assertThat(locks.isRunning()).isTrue();
        assertUnavailable(() -> locks.acquire(REQUEST.noWait()), Duration.ZERO, TIMEOUT);
        assertUnavailable(
                () -> locks.acquire(REQUEST.waitUpTo(millis(300))),
                millis(300),
                millis(300).plus(TIMEOUT));
        TestCallers.Call<Boolean> call = callers.call(() -> {
            LockHandle handle = locks.acquire(REQUEST.waitForever());
            boolean held = handle.isHeld();
            closeInTime(handle);
            return held;
        });
        call.awaitBlocked();
        try (EmbeddedRedis late = EmbeddedRedis.start(port)) {
            assertThat(late.isAlive()).isTrue();
            Stopwatch watch = Stopwatch.start();
            assertThat(call.get()).isTrue();
            closeInTime(locks.acquire(REQUEST));
            assertThat(watch.elapsed()).isLessThan(RECONNECT.plus(Noise.now()));
        }
    }

    @Test
    void aHoldIsLostAtItsDeadlineWithoutAReplyFromRedis() {
        RedisLockTemplate locks = direct();
        LockHandle handle = locks.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(1);
        handle.onLost(lost::countDown);
        redis.signal("STOP");
        Stopwatch watch = Stopwatch.start();
        AbstractLockContract.awaitLatch(lost, REQUEST.lease());
        assertThat(watch.elapsed())
                .as("not before it must")
                .isGreaterThan(REQUEST.lease().dividedBy(2));
        assertThat(handle.isHeld()).isFalse();
        assertThat(timeOf(() -> {
                    handle.close();
                    return null;
                }))
                .isLessThan(TIMEOUT.plus(Noise.now()));
    }

    @Test
    void aHoldSurvivesAShortOutage() {
        RedisLockTemplate locks = direct();
        try (LockHandle handle = locks.acquire(leased("down", 4_000))) {
            for (int i = 0; i < 2; i++) {
                redis.signal("STOP");
                // A renewal is due when two thirds of the lease are left.
                await().pollInterval(millis(20))
                        .until(() -> handle.remainingLease().compareTo(millis(2_400)) < 0);
                assertThat(handle.isHeld()).isTrue();
                redis.signal("CONT");
                HoldAssertions.awaitRenewals(handle, 1);
            }
            assertThat(keys()).contains("lock:{down}");
        }
        assertThat(keys()).noneMatch(key -> key.endsWith("}"));
    }

    @Test
    void aHoldSurvivesAServerThatIsBusyForAMoment() {
        RedisLockTemplate locks = direct();
        try (LockHandle handle = locks.acquire(leased("down", 3_000))) {
            // The first renewal, after a second, falls into that time.
            TestCallers.Call<String> sleep = callers.call(() -> call("DEBUG", "SLEEP", "1.5"));
            assertThat(sleep.get()).isEqualTo("OK");
            HoldAssertions.awaitRenewals(handle, 1);
        }
    }

    @Test
    void theReleaseIsBoundedWhileRedisIsDown() {
        RedisLockTemplate locks = direct();
        LockHandle handle = locks.acquire(LockRequest.of("down"));
        crash();
        Stopwatch watch = Stopwatch.start();
        assertThatExceptionOfType(LockReleaseUnconfirmedException.class).isThrownBy(handle::close);
        assertThat(watch.elapsed()).isLessThan(TIMEOUT.plus(Noise.now()));
        handle.close();
    }

    @Test
    void closingTheTemplateIsBoundedWhileRedisIsSilent() {
        RedisLockTemplate locks = direct();
        LockHandle handle = locks.acquire(LockRequest.of("down"));
        redis.signal("STOP");
        Stopwatch watch = Stopwatch.start();
        locks.close();
        assertThat(watch.elapsed())
                .isLessThan(TIMEOUT.plus(Duration.ofSeconds(3)).plus(Noise.now()));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    /** The other side is gone without a word; TCP would wait for that for a quarter of an hour. */
    @Test
    void aConnectionThatHasGoneSilentIsReplaced() {
        RedisLockTemplate locks = proxied();
        int before = proxy.accepted();
        proxy.blackHole();
        TestCallers.Call<Boolean> call = callers.call(() -> {
            LockHandle handle = locks.acquire(REQUEST.waitForever());
            boolean held = handle.isHeld();
            closeInTime(handle);
            return held;
        });
        await().atMost(Duration.ofSeconds(10)).until(() -> proxy.accepted() > before);
        proxy.heal();
        Stopwatch watch = Stopwatch.start();
        assertThat(call.get()).isTrue();
        assertThat(watch.elapsed()).isLessThan(RECONNECT.plus(Noise.now()));
        await().atMost(REQUEST.lease().multipliedBy(2).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }
}
