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
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Waiters that miss a wake-up, are refused before their wait is over, or send requests in a loop. */
class LostWakeUpTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = LockRequest.of("wanted").waitForever();

    /** Every waiter asks again after this time. */
    private static final Duration POLL = Duration.ofSeconds(1);

    /** The lock was released after the try that failed, and before the waiter could hear of it. */
    @Test
    void aReleaseBetweenARequestAndItsReplyIsNoticed() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = proxied(Templates.PATIENT);
        List<Duration> gaps = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            LockHandle handle = holder.acquire(REQUEST);
            proxy.replies().hold();
            CompletableFuture<LockHandle> waiting = acquire(waiter);
            awaitWaiting(holder, 1);
            assertThat(waiting).isNotDone();
            handle.close();
            Stopwatch watch = Stopwatch.start();
            proxy.heal();
            TestCallers.get(waiting).close();
            gaps.add(watch.elapsed());
        }
        Collections.sort(gaps);
        assertThat(gaps.get(2)).isLessThan(Noise.now());
        assertThat(gaps.get(4)).isLessThan(Noise.now());
        // An id is cancelled for good if its answer was held up for longer than a command may take.
        await().atMost(POLL.plus(Noise.LATEST)).until(() -> keys().stream().allMatch(key -> key.endsWith("cancelled")));
    }

    /** A subscription for each lock that is waited for: they ran out, timed out, and were never ended. */
    @Test
    void aThousandLocksThatTenWaitForEachNeedNoSubscription() {
        RedisLockTemplate holder = direct(Templates.PATIENT);
        RedisLockTemplate waiter = direct(Templates.PATIENT);
        List<CompletableFuture<LockHandle>> held = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            held.add(holder.acquireAsync(LockRequest.of("wanted-" + i)).toCompletableFuture());
        }
        held.forEach(TestCallers::get);
        List<CompletableFuture<?>> done = new ArrayList<>();
        try (CommandCounter counter = CommandCounter.start(redis);
                RespClient client = redis.connect()) {
            for (int i = 0; i < 10_000; i++) {
                LockRequest request = leased("wanted-" + i / 10, 6_000).waitForever();
                done.add(waiter.acquireAsync(request)
                        .thenAccept(LockHandle::close)
                        .toCompletableFuture());
            }
            await().until(() -> counter.scripts() >= 1_000
                    && holder.inspect("wanted-999").orElseThrow().waitingInstances() == 1);
            assertThat(Engines.stateOf(waiter).names()).isEqualTo(1_000);
            assertThat(client.list("PUBSUB", "CHANNELS")).hasSize(2);
            assertThat(done).noneMatch(CompletableFuture::isDone);

            held.forEach(handle -> TestCallers.get(handle).close());
            TestCallers.get(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)));

            assertThat(counter.calls("subscribe")).isZero();
            assertThat(client.list("PUBSUB", "CHANNELS")).hasSize(2);
            Engines.awaitEmpty(waiter, POLL);
            Engines.awaitEmpty(holder, POLL);
            waiter.close();
            holder.close();
            await().atMost(POLL.plus(Noise.LATEST))
                    .until(() -> client.list("PUBSUB", "CHANNELS").isEmpty());
        }
        // On a busy machine, a request without a reply in time leaves a mark that it was cancelled, for two leases at
        // most.
        assertThat(keys()).allMatch(key -> key.endsWith("cancelled"));
    }

    /** An operator cleaned up the line, and its callers waited for a message that was never sent. */
    @Test
    void aWaiterThatHasLostItsPlaceInLineQueuesAgain() {
        RedisLockTemplate holder = patient();
        LockHandle handle = holder.acquire(REQUEST);
        CompletableFuture<LockHandle> waiting = acquire(patient());
        awaitWaiting(holder, 1);
        assertThat(call("HDEL", "lock:{wanted}", "f", "n", "q1")).isEqualTo("3");
        Stopwatch gone = Stopwatch.start();
        awaitWaiting(holder, 1);
        assertThat(gone.elapsed()).isLessThan(POLL.plus(Noise.now()));
        Stopwatch watch = Stopwatch.start();
        handle.close();
        TestCallers.get(waiting).close();
        assertThat(watch.elapsed()).isLessThan(Noise.now());
        assertThat(keys()).isEmpty();
    }

    /** One lost race after a wake-up, and the caller got "busy" long before its time was over. */
    @Test
    void aWaiterThatDoesNotGetTheReleasedLockWaitsForItsWholeTime() {
        RedisLockTemplate holder = patient();
        List<RedisLockTemplate> instances = List.of(patient(), patient());
        Duration wait = millis(1_500);
        CountDownLatch losers = new CountDownLatch(9);
        LockHandle handle = holder.acquire(REQUEST);
        List<TestCallers.Call<Optional<Duration>>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RedisLockTemplate instance = instances.get(i % 2);
            calls.add(callers.call(() -> {
                Stopwatch watch = Stopwatch.start();
                Optional<LockHandle> granted = instance.tryAcquire(REQUEST.waitUpTo(wait));
                Duration waited = watch.elapsed();
                if (granted.isEmpty()) {
                    losers.countDown();
                    return Optional.of(waited);
                }
                try (LockHandle winner = granted.get()) {
                    AbstractLockContract.awaitLatch(losers, Duration.ofSeconds(10));
                    assertThat(winner.isHeld()).isTrue();
                    return Optional.empty();
                }
            }));
        }
        calls.forEach(TestCallers.Call::awaitBlocked);
        awaitWaiting(holder, 2);
        handle.close();

        List<Duration> waits = calls.stream()
                .map(TestCallers.Call::get)
                .flatMap(Optional::stream)
                .toList();

        assertThat(waits).hasSize(9).allSatisfy(each -> assertThat(each).isBetween(wait, wait.plus(Noise.now())));
        await().atMost(Noise.LATEST).until(() -> keys().isEmpty());
    }

    /** An operator gave the key an expiry that overflows in other units: waiters took it for the past. */
    @Test
    void anExpiryInCenturiesCausesNeitherABusyLoopNorAnEndlessWait() {
        RedisLockTemplate holder = patient();
        LockHandle handle = holder.acquire(leased("wanted", 10_000));
        assertThat(call("PEXPIRE", "lock:{wanted}", "10000000000000")).isEqualTo("1");
        CompletableFuture<LockHandle> waiting = acquire(patient());
        awaitWaiting(holder, 1);
        try (CommandCounter counter = CommandCounter.start(redis)) {
            HoldAssertions.assertAllTheTime(
                    millis(1_150), () -> assertThat(counter.scripts()).isLessThan(10));
            await("a request after more than a second").until(() -> counter.scripts() > 0);
        }
        handle.close();
        TestCallers.get(waiting).close();
        assertThat(keys()).isEmpty();
    }

    private static CompletableFuture<LockHandle> acquire(RedisLockTemplate instance) {
        return instance.acquireAsync(REQUEST).toCompletableFuture();
    }

    private static void awaitWaiting(RedisLockTemplate observer, int expected) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(millis(2))
                .until(() -> observer.inspect("wanted")
                                .map(LockState::waitingInstances)
                                .orElse(0)
                        == expected);
    }
}
