/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** From one caller to the next: how fast, in which order, and with how many commands. */
abstract class HandOverContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("passed").waitForever();

    HandOverContract(LockServer server) {
        super(server);
    }

    @Test
    void acquiringAndReleasingAreOneCommandEach() {
        first.acquire(REQUEST).close();
        LockHandle warm = first.acquire(REQUEST);
        try (CommandLog log = logOf(onlyKey())) {
            warm.close();
            log.clear();
            for (int i = 0; i < 10; i++) {
                first.acquire(REQUEST).close();
            }
            assertThat(commandsOfLocks(log))
                    .hasSize(20)
                    .extracting(CommandLog.Entry::name)
                    .containsOnly("evalsha");
            assertThat(log.calls(server.publishCommand()))
                    .as("messages without a receiver")
                    .isEmpty();
        }
    }

    @Test
    void passingTheLockOnInsideAnInstanceIsNoCommand() {
        LockHandle handle = first.acquire(REQUEST);
        long token = handle.fencingToken();
        try (CommandLog log = logOf(onlyKey())) {
            AtomicLong highest = new AtomicLong(token);
            List<TestCallers.Call<LockHandle>> calls = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                calls.add(callers.call(() -> {
                    LockHandle next = first.acquire(REQUEST);
                    assertThat(next.fencingToken()).isGreaterThan(highest.getAndSet(next.fencingToken()));
                    assertThat(commandsOfLocks(log)).isEmpty();
                    next.close();
                    return next;
                }));
                awaitWaitingIn(first, i + 1);
            }
            handle.close();
            calls.forEach(TestCallers.Call::get);
            assertThat(commandsOfLocks(log)).as("the last one's release").hasSize(1);
        }
    }

    @Test
    void callersOfOneInstanceAreServedInTheOrderInWhichTheyCame() {
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            for (int i = 0; i < 10; i++) {
                int number = i;
                calls.add(callers.call(() -> {
                    try (LockHandle granted = first.acquire(REQUEST)) {
                        assertThat(granted.isHeld()).isTrue();
                        served.add(number);
                    }
                    return number;
                }));
                awaitWaitingIn(first, i + 1);
            }
        }
        calls.forEach(TestCallers.Call::get);
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void instancesAreServedInTheOrderInWhichTheyCame() {
        List<RedisLockTemplate> instances = new ArrayList<>(List.of(first, second));
        instances.add(template(Templates.PATIENT));
        instances.add(template(Templates.PATIENT));
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            for (int i = 3; i > 0; i--) {
                int number = i;
                calls.add(callers.call(() -> {
                    try (LockHandle granted = instances.get(number).acquire(REQUEST)) {
                        assertThat(granted.isHeld()).isTrue();
                        served.add(number);
                    }
                    return number;
                }));
                int expected = 4 - i;
                await().until(() -> waiting() == expected);
            }
        }
        calls.forEach(TestCallers.Call::get);
        assertThat(served).containsExactly(3, 2, 1);
    }

    @Test
    void aReleaseWakesAWaiterInAnotherInstancePromptly() {
        List<Duration> handOvers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            LockOperations holder = i % 2 == 0 ? first : second;
            LockOperations waiter = i % 2 == 0 ? second : first;
            LockHandle handle = holder.acquire(REQUEST);
            AtomicLong granted = new AtomicLong();
            TestCallers.Call<?> call = callers.call(() -> {
                try (LockHandle next = waiter.acquire(REQUEST)) {
                    granted.set(System.nanoTime());
                    return next;
                }
            });
            await().pollInterval(millis(1)).until(() -> waiting() == 1);
            long released = System.nanoTime();
            handle.close();
            call.get();
            handOvers.add(Duration.ofNanos(granted.get() - released));
        }
        Collections.sort(handOvers);
        assertThat(handOvers.get(100)).as("median").isLessThan(Noise.now());
        assertThat(handOvers.get(197)).as("99th percentile").isLessThan(Noise.now());
    }

    /** One waiter is woken by each release, and it has the lock then: no request is in vain. */
    @Test
    void handingOverBetweenInstancesWakesOnlyOne() {
        List<RedisLockTemplate> instances = new ArrayList<>(List.of(first, second));
        for (int i = 0; i < 4; i++) {
            instances.add(template(Templates.PATIENT));
        }
        instances.forEach(instance -> instance.acquire(REQUEST).close());
        int cycles = 50;
        try (LockHandle handle = first.acquire(LockRequest.of("elsewhere"));
                CommandCounter counter = CommandCounter.start(server.serverOf("lock:{" + REQUEST.name() + "}"))) {
            Stopwatch watch = Stopwatch.start();
            List<TestCallers.Call<?>> calls = new ArrayList<>();
            for (RedisLockTemplate instance : instances) {
                calls.add(callers.call(() -> {
                    for (int i = 0; i < cycles; i++) {
                        instance.acquire(REQUEST).close();
                    }
                    return handle;
                }));
            }
            calls.forEach(TestCallers.Call::get);
            long total = (long) cycles * instances.size();
            long routine = instances.size() * (watch.elapsed().toMillis() / 500 + 2);
            assertThat(counter.scripts()).isBetween(2 * cycles + 1L, 2 * total + routine);
        }
    }

    /** However busy one instance is with itself, the others get their turn. */
    @Test
    void anInstanceThatPassesTheLockOnToItselfLetsOthersIn() {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong cycles = new AtomicLong();
        List<TestCallers.Call<?>> busy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            busy.add(callers.call(() -> {
                while (!stop.get()) {
                    first.acquire(REQUEST).close();
                    cycles.incrementAndGet();
                }
                return stop;
            }));
        }
        await().until(() -> cycles.get() > 1_000);
        for (int i = 0; i < 20; i++) {
            Stopwatch watch = Stopwatch.start();
            second.acquire(REQUEST).close();
            assertThat(watch.elapsed()).isLessThan(Noise.now());
        }
        stop.set(true);
        busy.forEach(TestCallers.Call::get);
    }

    private int waiting() {
        return first.inspect("passed").map(LockState::waitingInstances).orElse(0);
    }
}
