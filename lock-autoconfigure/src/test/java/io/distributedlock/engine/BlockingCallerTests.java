/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Background;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that wait, by the real clock. */
class BlockingCallerTests {

    private final SharedLeases leases = new SharedLeases(NanoClock.SYSTEM);

    private final List<LockEngine> engines = new ArrayList<>();

    private final TestNetwork network = new TestNetwork();

    private final LockEngine one = engine("one", network);

    private LockEngine engine(String id, Network through) {
        EngineSettings settings = new EngineSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                null,
                Duration.ofMillis(200),
                32,
                Duration.ofMillis(1),
                Duration.ZERO);
        LockEngine engine = TestEngine.of(new InMemoryLeaseStore(leases, id, through))
                .settings(settings)
                .start();
        engines.add(engine);
        return engine;
    }

    @AfterEach
    void nothingIsLeft() {
        for (LockEngine engine : engines) {
            assertThat(engine.locks().size()).isZero();
            await().until(() -> engine.timers().size() == 0);
            engine.close();
        }
        assertThat(leases.leftovers()).isEmpty();
    }

    @Test
    void tryingReturnsEmptyAndAcquiringThrowsWhenItIsBusy() {
        try (LockHandle held = engine("two", new TestNetwork()).acquire(LockRequest.of("a"))) {
            LockRequest request = LockRequest.of("a").waitUpTo(Duration.ofMillis(20));

            assertThat(one.tryAcquire(request)).isEmpty();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> one.acquire(request))
                    .satisfies(busy -> assertThat(busy.waited()).isGreaterThanOrEqualTo(Duration.ofMillis(20)));
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void aSingleTryThrowsWhenTheStoreDoesNotReply() {
        network.disconnect();

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> one.tryAcquire(LockRequest.of("a").noWait()));
        network.reconnect();
    }

    @Test
    void anInterruptedWaiterLeavesAndKeepsItsFlag() {
        LockEngine two = engine("two", new TestNetwork());
        LockHandle held = two.acquire(LockRequest.of("a"));
        AtomicReference<Thread> waiter = new AtomicReference<>();
        CompletableFuture<Boolean> waiting = Background.supply(() -> {
            waiter.set(Thread.currentThread());
            assertThatExceptionOfType(LockInterruptedException.class)
                    .isThrownBy(() -> one.acquire(LockRequest.of("a").waitForever()));
            return Thread.interrupted();
        });
        await().until(() -> one.locks().size() == 1);

        waiter.get().interrupt();

        assertThat(waiting.join()).isTrue();
        assertThat(leases.inspect("a"))
                .get()
                .satisfies(state -> assertThat(state.waitingInstances()).isZero());
        held.close();
    }

    @Test
    void anInterruptedCallerDoesNotEvenAsk() {
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> one.acquire(LockRequest.of("a")));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(network.sent()).isEmpty();
    }

    @Test
    void onlyOneThreadOfAllInstancesIsInsideAtATime() throws Exception {
        LockEngine two = engine("two", new TestNetwork());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        int[] unguarded = new int[1];
        List<Long> tokens = new ArrayList<>();
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            LockEngine mine = thread % 2 == 0 ? one : two;
            done.add(threads.submit(() -> {
                for (int i = 0; i < 200; i++) {
                    try (LockHandle handle = mine.acquire(LockRequest.of("a"))) {
                        unguarded[0]++;
                        tokens.add(handle.fencingToken());
                    }
                }
            }));
        }
        for (Future<?> each : done) {
            each.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();

        assertThat(unguarded[0]).isEqualTo(1_600);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }
}
