/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.RespClient;
import io.distributedlock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How long callers wait, and how they stop waiting. */
abstract class WaitingContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("wanted");

    private static final Duration WAIT = millis(300);

    WaitingContract(LockServer server) {
        super(server);
    }

    @Test
    void endsInTimeWhenTheSameInstanceHoldsTheLock() {
        assertWaitsAsRequested(first, first);
    }

    @Test
    void endsInTimeWhenAnotherInstanceHoldsTheLock() {
        assertWaitsAsRequested(first, second);
    }

    /**
     * Never too short. Too long by 50 ms at most, but for one try in five and for the time by which threads of this JVM
     * were woken up late, the caller and the one that ends its wait.
     */
    private void assertWaitsAsRequested(RedisLockTemplate holder, RedisLockTemplate waiter) {
        try (LockHandle handle = holder.acquire(REQUEST)) {
            long begin = System.nanoTime();
            List<Duration> waits = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waits.add(callers.call(() -> waitInVain(waiter)).get());
            }
            assertThat(waits).allSatisfy(wait -> assertThat(wait).isBetween(WAIT, WAIT.plus(Noise.now())));
            assertThat(waits.stream().sorted().toList().get(3))
                    .isLessThan(
                            WAIT.plusMillis(50).plus(Noise.longestSince(begin).multipliedBy(2)));
            assertThat(handle.isHeld()).isTrue();
        }
    }

    private static Duration waitInVain(RedisLockTemplate waiter) {
        Stopwatch watch = Stopwatch.start();
        LockNotAcquiredException failure =
                catchThrowableOfType(LockNotAcquiredException.class, () -> waiter.acquire(REQUEST.waitUpTo(WAIT)));
        Duration wait = watch.elapsed();
        assertThat(failure.lockName()).isEqualTo("wanted");
        assertThat(failure.waited()).isBetween(WAIT, wait);
        return wait;
    }

    @Test
    void tryAcquireWaitsToo() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            Stopwatch watch = Stopwatch.start();
            assertThat(second.tryAcquire(REQUEST.waitUpTo(WAIT))).isEmpty();
            assertThat(watch.elapsed()).isBetween(WAIT, WAIT.plus(Noise.now()));
        }
        assertThat(second.tryAcquire(REQUEST.waitUpTo(Noise.LATEST))).get().satisfies(LockHandle::close);
    }

    /** The answer comes when the wait is over, and was not listened to: each call took a command time-out. */
    @Test
    void isOverWithTheFirstAnswerIfThatTakesLonger() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            Duration took = Stopwatch.time(() -> {
                for (int i = 0; i < 20; i++) {
                    assertThat(second.tryAcquire(REQUEST.waitUpTo(Duration.ofNanos(1))))
                            .isEmpty();
                }
            });
            assertThat(took).isLessThan(Noise.now());
            await().untilAsserted(() -> assertThat(waiting()).isZero());
        }
    }

    @Test
    void triesOnceWithoutWaiting() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            Duration took = Stopwatch.time(() -> {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> second.acquire(REQUEST.noWait()));
                assertThat(second.tryAcquire(REQUEST.noWait())).isEmpty();
                assertThat(callers.call(() -> first.tryAcquire(REQUEST.noWait()))
                                .get())
                        .isEmpty();
            });
            assertThat(took).isLessThan(Noise.now());
            assertThat(waiting()).isZero();
        }
    }

    @Test
    void waitsAsTheSettingsSayByDefault() {
        EngineSettings defaults = Templates.PATIENT;
        RedisLockTemplate hasty = template(new EngineSettings(
                defaults.lease(),
                WAIT,
                null,
                defaults.commandTimeout(),
                defaults.maxPasses(),
                defaults.maxBatch(),
                defaults.shutdownGrace()));
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            Stopwatch watch = Stopwatch.start();
            assertThat(hasty.tryAcquire(REQUEST)).isEmpty();
            assertThat(watch.elapsed()).isBetween(WAIT, WAIT.plus(Noise.now()));
            TestCallers.Call<LockHandle> forEver = callers.call(() -> {
                try (LockHandle granted = hasty.acquire(REQUEST.waitForever())) {
                    return granted;
                }
            });
            TestCallers.Call<LockHandle> negative = callers.call(() -> {
                try (LockHandle granted = hasty.acquire(REQUEST.waitUpTo(millis(-1)))) {
                    return granted;
                }
            });
            HoldAssertions.assertAllTheTime(
                    WAIT.plusMillis(250),
                    () -> assertThat(List.of(forEver, negative)).noneMatch(TestCallers.Call::isDone));
            handle.close();
            assertThat(forEver.get()).isNotNull();
            assertThat(negative.get()).isNotNull();
        }
    }

    @Test
    void interruptedWaitersLeaveNothingBehind() {
        for (RedisLockTemplate waiter : List.of(first, second)) {
            LockHandle handle = first.acquire(REQUEST);
            TestCallers.Call<Boolean> call = callers.call(() -> {
                assertThatExceptionOfType(LockInterruptedException.class)
                        .isThrownBy(() -> waiter.acquire(REQUEST.waitForever()));
                return Thread.currentThread().isInterrupted();
            });
            call.awaitBlocked();
            if (waiter == second) {
                await().until(() -> waiting() == 1);
            }
            call.thread().interrupt();
            assertThat(call.get()).as("interrupt flag").isTrue();
            await().until(() -> waiting() == 0);
            handle.close();
            assertThat(keys()).isEmpty();
        }
    }

    @Test
    void aThreadThatIsInterruptedAlreadyDoesNotBeginToWait() {
        assertThat(callers.call(() -> {
                            Thread.currentThread().interrupt();
                            assertThatExceptionOfType(LockInterruptedException.class)
                                    .isThrownBy(() -> first.tryAcquire(REQUEST));
                            return Thread.currentThread().isInterrupted();
                        })
                        .get())
                .isTrue();
        assertThat(keys()).isEmpty();
    }

    /** An interrupt may come at any moment: before, while or after the lock is granted. It never leaves an orphan. */
    @Test
    void interruptsAtAnyMomentLeaveNoLockBehind() {
        long seed = Seeds.of("waiting.seed");
        Random random = new Random(seed);
        LockRequest lasting = LockRequest.of("swept").lease(Duration.ofMinutes(2));
        int interrupted = 0;
        // Adapts to the machine, so that some hit and some come too late.
        int longest = 600_000;
        for (int i = 0; i < 300; i++) {
            CountDownLatch ready = new CountDownLatch(1);
            TestCallers.Call<Boolean> call = callers.call(() -> {
                ready.countDown();
                try (LockHandle handle = second.acquire(lasting)) {
                    return handle.isHeld();
                } catch (LockInterruptedException e) {
                    return false;
                }
            });
            awaitLatch(ready, Noise.LATEST);
            if (!call.isDoneWithin(random.nextInt(longest))) {
                call.thread().interrupt();
            }
            boolean hit = !call.get();
            interrupted += hit ? 1 : 0;
            longest += (hit ? 1 : -1) * longest / 20;
        }
        assertThat(interrupted).as("interrupts that hit, seed %d", seed).isBetween(1, 299);
        await("nothing is left, seed " + seed)
                .untilAsserted(() -> assertThat(contents()).isEmpty());
    }

    @Test
    void closeIsNotInterruptible() {
        assertThat(callers.call(() -> {
                            LockHandle handle = first.acquire(REQUEST);
                            Thread.currentThread().interrupt();
                            handle.close();
                            return Thread.currentThread().isInterrupted() && keys().isEmpty();
                        })
                        .get())
                .isTrue();
    }

    @Test
    void waitersThatGiveUpLeaveTheQueue() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            Duration wait = WAIT;
            while (!isSeenInLineAndLeavesIt(wait)) {
                wait = wait.multipliedBy(4);
                assertThat(wait).as("seen in line").isLessThan(Noise.LATEST);
            }
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(keys()).isEmpty();
    }

    /** On a busy machine, it may have given up before this thread looks. */
    private boolean isSeenInLineAndLeavesIt(Duration wait) {
        TestCallers.Call<Optional<LockHandle>> call = callers.call(() -> second.tryAcquire(REQUEST.waitUpTo(wait)));
        AtomicBoolean seen = new AtomicBoolean();
        await().pollInterval(millis(5)).until(() -> {
            seen.set(seen.get() || waiting() == 1);
            return seen.get() || call.isDone();
        });
        assertThat(call.get()).isEmpty();
        await().until(() -> waiting() == 0);
        return seen.get();
    }

    /** One that waits only shortly for a lock with a long lease must not end the wait of those behind it. */
    @Test
    void waitersOfOneInstanceWaitEachTheirOwnTime() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            List<TestCallers.Call<Duration>> calls = new ArrayList<>();
            for (int wait : new int[] {400, 100, 700, 250}) {
                calls.add(callers.call(() -> {
                    Stopwatch watch = Stopwatch.start();
                    assertThat(second.tryAcquire(leased("wanted", 10_000).waitUpTo(millis(wait))))
                            .isEmpty();
                    return watch.elapsed().minusMillis(wait);
                }));
            }
            calls.forEach(call -> assertThat(call.get()).isBetween(Duration.ZERO, Noise.now()));
            assertThat(handle.isHeld()).isTrue();
        }
    }

    private int waiting() {
        return first.inspect("wanted").map(LockState::waitingInstances).orElse(0);
    }

    /** The entries in Redis, to be shown in a failure. */
    private String contents() {
        StringBuilder contents = new StringBuilder();
        for (String key : keys().stream().filter(each -> each.endsWith("}")).toList()) {
            try (RespClient client = redisOf(key)) {
                contents.append(key)
                        .append(' ')
                        .append(client.list("HGETALL", key))
                        .append(client.number("PTTL", key));
            }
        }
        return contents.toString();
    }
}
