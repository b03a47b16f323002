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
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Messages between instances are hints: lost, late or forged ones cost a moment and never the exclusion. */
class LostMessageTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = LockRequest.of("hinted").waitForever();

    /** Every waiter asks again after this time. */
    private static final Duration POLL = Duration.ofSeconds(1);

    @Test
    void aLostGrantCostsOnePoll() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = proxied(Templates.PATIENT);
        for (int i = 0; i < 3; i++) {
            LockHandle handle = holder.acquire(REQUEST);
            TestCallers.Call<Boolean> call = waitIn(waiter);
            long before = proxy.replies().dropped();
            proxy.replies().lose("grant ");
            Stopwatch watch = Stopwatch.start();
            handle.close();
            assertThat(call.get()).isTrue();
            assertThat(watch.elapsed()).isLessThan(POLL.plus(Noise.now()));
            assertThat(proxy.replies().dropped()).as("the message was lost").isGreaterThan(before);
            proxy.heal();
        }
    }

    @Test
    void aBrokenSubscriptionCostsOnePoll() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = patient();
        for (int i = 0; i < 5; i++) {
            LockHandle handle = holder.acquire(REQUEST);
            TestCallers.Call<Boolean> call = waitIn(waiter);
            assertThat(call("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo("2");
            Stopwatch watch = Stopwatch.start();
            handle.close();
            assertThat(call.get()).isTrue();
            assertThat(watch.elapsed()).isLessThan(POLL.plus(Noise.now()));
            await().until(() -> call("PUBSUB", "CHANNELS").split(",").length == 2);
        }
    }

    /** A grant that was on its way for most of the lease is confirmed first, so that what runs then has time to run. */
    @Test
    void aLateGrantIsConfirmed() {
        HoldAssertions.assertUnlessStalled(millis(100), this::assertLateGrantIsConfirmed);
    }

    private void assertLateGrantIsConfirmed() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = proxied();
        LockHandle handle = holder.acquire(REQUEST);
        TestCallers.Call<Duration> call = callers.call(() -> {
            try (LockHandle late =
                    waiter.acquire(leased("hinted", 900).renew(false).waitForever())) {
                return late.remainingLease();
            }
        });
        awaitWaiting(1);
        proxy.replies().hold();
        handle.close();
        await().pollInterval(millis(5))
                .until(() -> holder.inspect("hinted")
                                .map(LockState::remainingLease)
                                .orElse(Duration.ZERO)
                                .compareTo(millis(250))
                        < 0);
        assertThat(proxy.replies().pending()).as("the grant is on its way").isPositive();
        proxy.heal();
        assertThat(call.get()).isGreaterThan(millis(500));
    }

    /**
     * As if its process had been stopped: what it hears then is of a lease that has passed, and of another caller's
     * lock.
     */
    @Test
    void aGrantFromBeforeTheEndOfItsLeaseIsNoGrant() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = proxied();
        RedisLockTemplate other = patient();
        for (int i = 0; i < 3; i++) {
            LockHandle handle = holder.acquire(REQUEST);
            TestCallers.Call<Boolean> call = callers.call(() -> {
                LockHandle late = waiter.acquire(leased("hinted", 600).waitForever());
                boolean held = late.isHeld();
                closeInTime(late);
                return held;
            });
            awaitWaiting(1);
            proxy.blackHole();
            handle.close();
            assertThat(holder.inspect("hinted")).as("granted in Redis").isPresent();
            await().until(() -> keys().stream().noneMatch(key -> key.endsWith("}")));
            try (LockHandle next = other.acquire(REQUEST)) {
                proxy.heal();
                HoldAssertions.assertHeldFor(
                        next, millis(400), () -> assertThat(call.isDone()).isFalse());
            }
            assertThat(call.get()).isTrue();
        }
    }

    @Test
    void aForgedMessageIsDropped() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate waiter = patient();
        AtomicInteger lost = new AtomicInteger();
        LockHandle handle = holder.acquire(REQUEST);
        handle.onLost(lost::incrementAndGet);
        TestCallers.Call<Boolean> call = waitIn(waiter);
        String key = keys().get(0);
        try (RespClient client = redis.connect()) {
            for (String channel : client.list("PUBSUB", "CHANNELS")) {
                String id = channel.substring(channel.lastIndexOf(':') + 1);
                for (String message : new String[] {
                    "",
                    " ",
                    "grant",
                    "grant ",
                    "revoke " + key,
                    "revoke " + id + ".1 " + key,
                    "grant " + id + ".1 9007199254740991 60000 0 " + key,
                    "grant " + id + "..1 1 60000 0 " + key,
                    "grant " + id + ".AAAAAAAAAAAAAAAAAAAAAA.1 1 60000 0 " + key,
                    "grant x y z a " + key,
                    "recall " + id + ".AAAAAAAAAAAAAAAAAAAAAA.1 " + key,
                    "x".repeat(100_000),
                    "\u0000\r\n{}",
                }) {
                    assertThat(client.number("PUBLISH", channel, message)).isEqualTo(1);
                }
            }
        }
        HoldAssertions.assertHeldFor(
                handle, millis(250), () -> assertThat(call.isDone()).isFalse());
        Stopwatch watch = Stopwatch.start();
        handle.close();
        assertThat(call.get()).isTrue();
        assertThat(watch.elapsed()).as("messages are still heard").isLessThan(Noise.now());
        assertThat(lost).hasValue(0);
    }

    /** The message about the grant is lost: the next one in line gets the lock instead, in the same step. */
    @Test
    void anInstanceThatHasGoneIsPassedOver() {
        RedisLockTemplate holder = patient();
        RedisLockTemplate gone = proxied();
        RedisLockTemplate next = patient();
        LockHandle handle = holder.acquire(REQUEST);
        TestCallers.Call<?> dead = callers.call(() -> gone.tryAcquire(REQUEST));
        awaitWaiting(1);
        TestCallers.Call<Boolean> call = waitIn(next, 2);
        proxy.refuse();
        proxy.cut();
        await().until(() -> call("PUBSUB", "CHANNELS").split(",").length == 2);
        Stopwatch watch = Stopwatch.start();
        handle.close();
        assertThat(call.get()).isTrue();
        assertThat(watch.elapsed()).isLessThan(Noise.now());
        dead.thread().interrupt();
        assertThat(dead.failure()).isInstanceOf(LockInterruptedException.class);
    }

    @Test
    void subscriptionsThatBreakAllTheTimeNeitherBlockNorLetTwoIn() {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger cycles = new AtomicInteger();
        AtomicReference<Duration> longest = new AtomicReference<>(Duration.ZERO);
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(patient(), patient(), patient())) {
            calls.add(callers.call(() -> {
                while (!stop.get()) {
                    Stopwatch watch = Stopwatch.start();
                    try (LockHandle handle = instance.acquire(REQUEST)) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        assertThat(handle.isHeld()).isTrue();
                        Duration wait = watch.elapsed();
                        longest.accumulateAndGet(wait, (a, b) -> a.compareTo(b) > 0 ? a : b);
                        cycles.incrementAndGet();
                        inside.decrementAndGet();
                    }
                }
                return stop;
            }));
        }
        AtomicInteger kills = new AtomicInteger();
        await().pollInterval(millis(50)).until(() -> {
            kills.addAndGet(Integer.parseInt(call("CLIENT", "KILL", "TYPE", "pubsub")));
            return kills.get() >= 60 && cycles.get() > 100;
        });
        stop.set(true);
        calls.forEach(TestCallers.Call::get);
        assertThat(longest.get()).isLessThan(POLL.multipliedBy(2).plus(Noise.now()));
    }

    private TestCallers.Call<Boolean> waitIn(RedisLockTemplate waiter) {
        return waitIn(waiter, 1);
    }

    private TestCallers.Call<Boolean> waitIn(RedisLockTemplate waiter, int expected) {
        TestCallers.Call<Boolean> call = callers.call(() -> {
            try (LockHandle handle = waiter.acquire(REQUEST)) {
                return handle.isHeld();
            }
        });
        awaitWaiting(expected);
        return call;
    }

    private void awaitWaiting(int expected) {
        RedisLockTemplate observer = patient();
        await().pollInterval(millis(5))
                .until(() -> observer.inspect("hinted")
                                .map(LockState::waitingInstances)
                                .orElse(0)
                        == expected);
        observer.close();
    }
}
