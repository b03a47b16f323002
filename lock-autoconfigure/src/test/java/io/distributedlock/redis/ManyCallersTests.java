/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.engine.EngineState;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.LeakCheck;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.test.util.ReflectionTestUtils;

/** Many callers of one JVM wait for one lock: the cost, the accuracy of the waits, and what leaving callers leave. */
class ManyCallersTests {

    private static StandaloneServer server;

    private static final LockRequest REQUEST = LockRequest.of("crowd").waitForever();

    @RegisterExtension
    final LeakCheck leakCheck = LeakCheck.of(Templates.PREFIX, server.redis());

    private final Templates templates = new Templates();

    private final TestCallers callers = new TestCallers();

    private RedisLockTemplate locks;

    private RedisLockTemplate other;

    @BeforeEach
    void open() {
        locks = templates.on(server.newConnectionFactory());
        other = templates.on(server.newConnectionFactory());
    }

    @AfterEach
    void close() {
        callers.close();
        templates.close();
    }

    @BeforeAll
    static void start() {
        server = new StandaloneServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void tenThousandWaitersCostTwoKilobytesEachAndOnePlaceInLineAndAllAreServed() {
        int size = 10_000;
        locks.acquire(REQUEST).close();
        LockHandle handle = other.acquire(REQUEST);
        List<CompletableFuture<LockHandle>> crowd = new ArrayList<>(size);
        long before = usedHeap();
        for (int i = 0; i < size; i++) {
            crowd.add(locks.acquireAsync(REQUEST).toCompletableFuture());
        }
        await().until(() -> waiting() == 1);
        long each = (usedHeap() - before) / size;
        System.out.println("ManyCallersTests: " + each + " bytes of heap for each of " + size + " that wait");
        assertThat(each).isLessThan(2_048);
        assertThat(waiting()).as("places in line").isEqualTo(1);
        assertThat(crowd).noneMatch(CompletableFuture::isDone);

        List<Integer> served = Collections.synchronizedList(new ArrayList<>(size));
        List<CompletableFuture<Void>> done = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            int number = i;
            done.add(crowd.get(i).thenAccept(granted -> {
                served.add(number);
                granted.close();
            }));
        }
        try (CommandCounter counter = CommandCounter.start(server.redis())) {
            handle.close();
            TestCallers.get(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)));
            assertThat(served).hasSize(size).isSorted();
            assertThat(counter.scripts()).as("release, and release").isLessThan(10);
        }
        assertNothingIsLeft();
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Never too early; a machine that stands still may spoil a whole try. */
    @Test
    void twoHundredWaitsEndOnTimeUnderLoad() {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger cycles = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            LockRequest own = LockRequest.of("busy-" + i);
            RedisLockTemplate instance = i % 2 == 0 ? locks : other;
            callers.call(() -> {
                while (!stop.get()) {
                    instance.acquire(own).close();
                    cycles.incrementAndGet();
                }
                return stop;
            });
        }
        try (LockHandle handle = other.acquire(REQUEST)) {
            await().until(() -> cycles.get() > 100);
            int before = cycles.get();
            HoldAssertions.assertUnlessStalled(millis(50), this::assertTwoHundredWaitsEndOnTime);
            assertThat(handle.isHeld()).isTrue();
            assertThat(cycles).as("the load went on").hasValueGreaterThan(before + 100);
        } finally {
            stop.set(true);
        }
    }

    private void assertTwoHundredWaitsEndOnTime() {
        long seed = Seeds.of("crowd.seed");
        Random random = new Random(seed);
        List<TestCallers.Call<Duration>> waits = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Duration bound = millis(300 + random.nextInt(1_000));
            RedisLockTemplate instance = i % 2 == 0 ? locks : other;
            boolean blocking = i % 4 < 2;
            waits.add(callers.call(() -> waitInVain(instance, bound, blocking).minus(bound)));
        }
        List<Duration> late = waits.stream().map(TestCallers.Call::get).sorted().toList();
        System.out.println("ManyCallersTests: of 200 waits, the median ends late by "
                + late.get(100).toMillis() + " ms, the 99th of a hundred by "
                + late.get(197).toMillis() + " ms, the last by " + late.get(199).toMillis() + " ms, seed " + seed);
        if (late.get(0).isNegative()) {
            throw new IllegalStateException("A wait ended early by " + late.get(0));
        }
        assertThat(late.get(197)).isLessThanOrEqualTo(Noise.now());
        assertThat(late.get(199)).isLessThanOrEqualTo(Noise.now());
    }

    private static Duration waitInVain(RedisLockTemplate instance, Duration bound, boolean blocking) throws Exception {
        LockRequest request = LockRequest.of("crowd").waitUpTo(bound);
        Stopwatch watch = Stopwatch.start();
        try {
            if (blocking) {
                instance.acquire(request);
            } else {
                instance.acquireAsync(request).toCompletableFuture().get();
            }
        } catch (LockNotAcquiredException e) {
            return watch.elapsed();
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(LockNotAcquiredException.class);
            return watch.elapsed();
        }
        throw new IllegalStateException("It has the lock that another one holds");
    }

    @Test
    void callersThatLeaveLeaveNothingBehind() {
        LockHandle handle = other.acquire(REQUEST);
        List<TestCallers.Call<?>> threads = new ArrayList<>();
        List<CompletableFuture<LockHandle>> futures = new ArrayList<>();
        CountDownLatch interrupted = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            threads.add(callers.call(() -> {
                        try {
                            return locks.acquire(REQUEST);
                        } catch (LockInterruptedException e) {
                            interrupted.countDown();
                            return e;
                        }
                    })
                    .awaitBlocked());
            futures.add(locks.acquireAsync(REQUEST).toCompletableFuture());
        }
        await().until(() -> waiting() == 1);
        assertThat(EngineState.of(engine(locks)).names()).isEqualTo(1);
        threads.forEach(call -> call.thread().interrupt());
        futures.forEach(future -> assertThat(future.cancel(true)).isTrue());
        AbstractLockContract.awaitLatch(interrupted, millis(500));
        assertNothingIsLeft();
        assertThat(handle.isHeld()).isTrue();
        assertThat(waiting()).isZero();
        handle.close();
        assertThat(server.keys(Templates.PREFIX)).isEmpty();
    }

    private void assertNothingIsLeft() {
        await().pollInterval(millis(5)).untilAsserted(() -> {
            assertThat(EngineState.of(engine(locks))).isEqualTo(EngineState.EMPTY);
            assertThat(waiting()).isZero();
        });
    }

    private int waiting() {
        return other.inspect("crowd").map(LockState::waitingInstances).orElse(0);
    }

    private static LockEngine engine(RedisLockTemplate template) {
        Object instance = Objects.requireNonNull(ReflectionTestUtils.getField(template, "instance"));
        return (LockEngine) Objects.requireNonNull(ReflectionTestUtils.getField(instance, "engine"));
    }
}
