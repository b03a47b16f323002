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

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockReleaseUnconfirmedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RandomMoments;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.StopSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Locks that lived on in Redis, and were even renewed, when no caller held them any more. */
class OrphanedLockTests extends AbstractFaultTests {

    private static final Duration LEASE = millis(900);

    private static final LockRequest REQUEST = leased("orphan", 900);

    /** Of an instance that the test does not break. */
    private static final LockRequest OTHERS = LockRequest.of("orphan").waitForever();

    /** Sent again after a time-out, it counted as a re-entry, and one release was not enough. */
    @Test
    void anAcquisitionThatWasSentSeveralTimesIsReleasedOnce() {
        RedisLockTemplate locks = proxied();
        RedisLockTemplate other = patient();
        proxy.replies().hold();
        TestCallers.Call<LockHandle> call;
        try (CommandCounter counter = CommandCounter.start(redis)) {
            call = callers.call(() -> {
                LockHandle handle = locks.acquire(leased("orphan", 5_000).waitForever());
                assertThat(handle.isHeld()).isTrue();
                assertThat(Engines.stateOf(locks).names()).isEqualTo(1);
                handle.close();
                return handle;
            });
            await().until(() -> counter.scripts() >= 3);
        }
        Stopwatch watch = Stopwatch.start();
        proxy.heal();

        call.get();

        assertThat(watch.elapsed())
                .as("none of them stood in the way of the others")
                .isLessThan(Noise.now());

        assertThat(keys()).noneMatch(key -> key.endsWith("}"));
        Engines.awaitEmpty(locks, Noise.LATEST);
        other.acquire(OTHERS.noWait()).close();
    }

    /** The release ended renewal before the acquisition, in another thread, had begun it. */
    @Test
    void aReleaseThatOvertakesItsAcquisitionLeavesNoRenewalBehind() {
        RedisLockTemplate locks = direct(Templates.PATIENT);
        long seed = Seeds.of("orphanedLock.seed");
        Random random = new Random(seed);
        List<CompletableFuture<?>> closed = new ArrayList<>();
        int cancelled = 0;
        for (int i = 0; i < 2_000; i++) {
            LockRequest request = leased("orphan-" + random.nextInt(5), 6_000);
            CompletableFuture<LockHandle> future =
                    locks.acquireAsync(request.waitForever()).toCompletableFuture();
            boolean granted = RandomMoments.isDoneWithin(random.nextInt(200_000), future);
            if (random.nextBoolean()) {
                closed.add(future.thenAccept(LockHandle::close));
            } else if (!granted && future.cancel(true)) {
                cancelled++;
            } else {
                TestCallers.get(future).close();
            }
        }
        TestCallers.get(CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new)));
        assertThat(cancelled).as("cancelled in time, seed %d", seed).isBetween(1, 1_999);

        Engines.awaitEmpty(locks, millis(500));
        assertThat(keys()).as("seed %d", seed).isEmpty();
        assertNothingIsSentFor(millis(500));
    }

    private void assertNothingIsSentFor(Duration time) {
        try (CommandCounter counter = CommandCounter.start(redis)) {
            HoldAssertions.assertAllTheTime(
                    time, () -> assertThat(counter.scripts()).isZero());
        }
    }

    /** The answer to an acquisition came too late for its caller, who went away; the watchdog held on to the lock. */
    @Test
    void aServerThatPausesInAnAcquisitionLeavesNoLockBehind() {
        RedisLockTemplate locks = direct();
        RedisLockTemplate other = patient();
        Templates.warmUp(locks);
        Templates.warmUp(other);

        redis.signal("STOP");
        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(REQUEST.noWait()));
        CompletableFuture<LockHandle> next = other.acquireAsync(OTHERS).toCompletableFuture();
        redis.signal("CONT");
        Stopwatch resumed = Stopwatch.start();
        TestCallers.get(next).close();

        assertThat(resumed.elapsed()).isLessThan(millis(500).plus(Noise.now()));
        Engines.awaitEmpty(locks, LEASE);
        assertNothingIsSentFor(millis(400));
    }

    /** The same around a release. */
    @Test
    void aServerThatPausesInAReleaseLeavesNoLockBehind() {
        RedisLockTemplate locks = direct();
        RedisLockTemplate other = patient();
        Templates.warmUp(other);
        LockHandle handle = locks.acquire(leased("orphan", 6_000));

        redis.signal("STOP");
        assertThatExceptionOfType(LockReleaseUnconfirmedException.class).isThrownBy(handle::close);
        CompletableFuture<LockHandle> following = other.acquireAsync(OTHERS).toCompletableFuture();
        redis.signal("CONT");
        Stopwatch resumed = Stopwatch.start();
        try (LockHandle next = TestCallers.get(following)) {
            assertThat(resumed.elapsed()).isLessThan(millis(500).plus(Noise.now()));
            HoldAssertions.assertHeldFor(
                    next, millis(300), () -> assertThat(keys()).contains("lock:{orphan}"));
        }
        Engines.awaitEmpty(locks, LEASE);
        assertThat(keys()).noneMatch(key -> key.endsWith("}"));
    }

    /** The release failed with its connection; the watchdog was stopped only by one that succeeded. */
    @Test
    void aConnectionThatBreaksInAReleaseEndsRenewalAllTheSame() {
        RedisLockTemplate locks = proxied();
        Duration lease = millis(1_800);
        LockHandle handle = locks.acquire(REQUEST.lease(lease));
        HoldAssertions.awaitRenewals(handle, 1);
        try (CommandLog log = CommandLog.open(redis)) {
            proxy.requests().hold();
            TestCallers.Call<Boolean> closing = callers.call(() -> {
                try {
                    handle.close();
                    return true;
                } catch (LockReleaseUnconfirmedException e) {
                    return false;
                }
            });
            await().pollInterval(millis(1)).until(() -> proxy.requests().pending() > 0);
            log.clear();
            Stopwatch broken = Stopwatch.start();
            assertThat(proxy.cut()).isPositive();
            proxy.heal();
            closing.get();

            await().until(() -> keys().isEmpty());
            assertThat(broken.elapsed()).isLessThan(lease.plus(Noise.now()));
            HoldAssertions.assertAllTheTime(
                    lease.dividedBy(2),
                    () -> assertThat(log.calls("pexpire")).as("renewals").isEmpty());
        }
        Engines.awaitEmpty(locks, lease);
    }

    /** Between the command that took the lock and the one that gave it an end, the connection broke. */
    @Test
    void brokenConnectionsLeaveNoKeyWithoutAnEnd() {
        StopSignal stop = new StopSignal();
        AtomicInteger holds = new AtomicInteger();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        List<RedisLockTemplate> instances = List.of(direct(), proxied());
        for (int i = 0; i < 4; i++) {
            RedisLockTemplate instance = instances.get(i % 2);
            LockRequest request = leased("orphan-" + i / 2, 300).waitUpTo(millis(300));
            calls.add(callers.call(() -> {
                while (!stop.isSet()) {
                    try (LockHandle handle = instance.acquire(request)) {
                        holds.addAndGet(handle.isHeld() ? 1 : 0);
                    } catch (DistributedLockException e) {
                        stop.isSetWithin(100_000);
                    }
                }
                return stop;
            }));
        }
        int killed = 0;
        int seen = 0;
        try (RespClient client = redis.connect()) {
            for (int i = 0; i < 8 || killed <= 16; i++) {
                int before = holds.get();
                await().pollInterval(millis(1)).until(() -> holds.get() > before + 5);
                killed += (int) client.number("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") + proxy.cut();
                for (String key : client.keys(Templates.PREFIX + "*")) {
                    seen++;
                    assertThat(client.number("PTTL", key)).as(key).isNotEqualTo(-1);
                }
            }
        } finally {
            stop.set();
        }
        calls.forEach(TestCallers.Call::get);
        assertThat(seen).as("keys that were looked at").isPositive();
        await().atMost(millis(1_000).plus(Noise.LATEST)).until(() -> keys().isEmpty());
    }
}
