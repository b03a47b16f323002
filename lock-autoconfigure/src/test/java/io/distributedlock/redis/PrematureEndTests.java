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
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.Noise;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Holds that ended although they need not have, since what renews them had been put off its stride. */
class PrematureEndTests extends AbstractFaultTests {

    /** Keeps the server busy for so many microseconds. */
    private static final String SLOW_SCRIPT = """
        local function now()
          local time = redis.call('TIME')
          return time[1] * 1000000 + time[2]
        end
        local till = now() + ARGV[1]
        while now() < till do end
        return 1
        """;

    private static final LockRequest REQUEST = leased("held", 3_600);

    /** What the watchdog remembered of the expired lock kept it from renewing the next one of that name. */
    @Test
    void theNextHoldIsRenewedAlthoughTheKeyOfTheOneBeforeExpired() {
        RedisLockTemplate locks = patient();
        RedisLockTemplate other = patient();
        LockHandle found = expire(locks);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(found::close);
        assertNextIsRenewed(locks, other);

        LockHandle noticed = expire(locks);
        HoldAssertions.awaitLoss(noticed, REQUEST.lease());
        assertNextIsRenewed(locks, other);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(noticed::close);
        assertThat(keys()).isEmpty();
    }

    private LockHandle expire(RedisLockTemplate locks) {
        LockHandle handle = locks.acquire(REQUEST);
        call("PEXPIRE", "lock:{held}", "1");
        await().pollInterval(millis(1)).until(() -> keys().isEmpty());
        return handle;
    }

    private static void assertNextIsRenewed(RedisLockTemplate locks, RedisLockTemplate other) {
        try (LockHandle next = locks.acquire(REQUEST)) {
            HoldAssertions.awaitRenewals(next, 1);
            assertThat(other.tryAcquire(LockRequest.of("held").noWait())).isEmpty();
        }
    }

    /** After a reconnect, the watchdog took the lock for one that it renewed already. */
    @Test
    void theNextHoldIsRenewedAfterAReconnect() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        RedisLockTemplate other = patient();
        LockHandle before = locks.acquire(REQUEST);
        HoldAssertions.awaitRenewals(before, 1);
        assertThat(proxy.cut()).isPositive();
        await().ignoreExceptions().until(() -> locks.inspect("held").isPresent());
        before.close();
        assertNextIsRenewed(locks, other);
        assertThat(keys()).isEmpty();
    }

    /** One error, as another caller's script ran for long, ended the watchdog. */
    @Test
    void aSlowScriptOfAnotherClientDoesNotEndRenewal() {
        RedisLockTemplate locks = direct();
        RedisLockTemplate other = patient();
        call("CONFIG", "SET", "busy-reply-threshold", "20");
        LockHandle handle = locks.acquire(leased("held", 3_000));
        // The first renewal, after a second, falls into that time.
        TestCallers.Call<String> slow = callers.call(() -> call("EVAL", SLOW_SCRIPT, "0", "1500000"));
        assertThat(slow.get()).isEqualTo("1");
        assertThat(call("INFO", "errorstats")).as("renewals that failed").contains("errorstat_BUSY");
        HoldAssertions.awaitRenewals(handle, 1);
        assertThat(other.tryAcquire(LockRequest.of("held").noWait())).isEmpty();
        handle.close();
        assertThat(keys()).isEmpty();
    }

    /**
     * The server was made a replica for a while: no caller ever got a lock again, or only one instance did, and
     * requests were repeated in a loop.
     */
    @Test
    void aServerThatMayNotWriteForAWhileEndsNothing() {
        RedisLockTemplate locks = patient();
        RedisLockTemplate other = patient();
        LockHandle handle = locks.acquire(leased("held", 4_500));
        CompletableFuture<LockHandle> waiting =
                other.acquireAsync(LockRequest.of("held").waitForever()).toCompletableFuture();
        await().until(() -> locks.inspect("held").orElseThrow().waitingInstances() == 1);

        call("REPLICAOF", "127.0.0.1", Integer.toString(EmbeddedRedis.freePort()));
        CompletableFuture<LockHandle> patient;
        Stopwatch watch = Stopwatch.start();
        try (CommandCounter counter = CommandCounter.start(redis)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> other.acquire(leased("idle", 30_000).waitUpTo(millis(1_000))))
                    .withMessageContaining("READONLY");
            patient = other.acquireAsync(LockRequest.of("patient")).toCompletableFuture();
            // A renewal is due when 3 s are left of the lease.
            await().pollInterval(millis(20)).until(() -> {
                assertThat(patient).isNotDone();
                return handle.remainingLease().compareTo(millis(2_700)) < 0;
            });
            assertThat(counter.scripts())
                    .as("requests and renewals in %s", watch.elapsed())
                    .isLessThan(25 * (1 + watch.elapsed().toSeconds()));
        }
        assertThat(call("INFO", "errorstats")).contains("errorstat_READONLY");
        assertThat(handle.isHeld()).isTrue();
        call("REPLICAOF", "NO", "ONE");
        TestCallers.get(patient).close();

        assertThat(Stopwatch.time(() -> other.acquire(LockRequest.of("idle")).close()))
                .isLessThan(Noise.now());
        assertThat(Stopwatch.time(() -> locks.acquire(LockRequest.of("idle")).close()))
                .isLessThan(Noise.now());
        HoldAssertions.awaitRenewals(
                handle, 1, () -> assertThat(waiting.isDone()).isFalse());
        handle.close();
        TestCallers.get(waiting).close();
        // A request that had no reply in time leaves a mark that it was cancelled, which ends by itself.
        assertThat(keys()).allMatch(key -> key.endsWith("cancelled"));
    }

    /** Each renewal made a timer with a thread of its own. */
    @Test
    void renewingStartsNoThreads() {
        RedisLockTemplate locks = patient();
        locks.acquire(LockRequest.of("warm-up")).close();
        List<LockHandle> handles = IntStream.range(0, 20)
                .mapToObj(i -> locks.acquire(leased("held-" + i, 1_200)))
                .toList();
        Set<Long> before = threads();
        long started = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
        try (CommandCounter counter = CommandCounter.start(redis)) {
            await().pollInterval(millis(20)).until(() -> {
                assertThat(before).containsAll(threads());
                return counter.calls("pexpire") > 60;
            });
        }
        assertThat(ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - started)
                .as("started threads, those of this test among them")
                .isLessThan(10);
        handles.forEach(LockHandle::close);
        assertThat(keys()).isEmpty();
    }

    /** Those of this JVM, without those that the test itself, or the network, starts when it likes. */
    private static Set<Long> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.getName().startsWith("awaitility")
                        && !thread.getName().startsWith("lettuce")
                        && !thread.getName().startsWith("process reaper"))
                .map(Thread::getId)
                .collect(Collectors.toSet());
    }
}
