/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.Seeds;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallbackPoolTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private static final int LIMIT = 20;

    private static final String NAME = "callback-pool-test";

    /** Its threads are idle for as long as a machine pauses. */
    private final CallbackPool pool = pool(NAME, LIMIT, TimeUnit.HOURS.toNanos(1));

    private static CallbackPool pool(String name, int limit) {
        return pool(name, limit, CallbackPool.IDLE_NANOS);
    }

    private static CallbackPool pool(String name, int limit, long idleNanos) {
        return new CallbackPool(name, limit, idleNanos, Thread::start);
    }

    @AfterEach
    void noThreadIsLeft() {
        pool.close();
        awaitThreads(0);
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(NAME))
                .toList();
    }

    private static void awaitThreads(int count) {
        await().atMost(SOON).until(() -> threads().size() == count);
    }

    private static boolean opened(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Each of the tasks ends when all of them run. */
    private void runAtOnce(int count) {
        CountDownLatch running = new CountDownLatch(count);
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            pool.execute(() -> {
                running.countDown();
                if (opened(running)) {
                    done.countDown();
                }
            });
        }
        assertThat(opened(done)).isTrue();
    }

    private static long idle() {
        return threads().stream()
                .filter(thread -> thread.getState() == Thread.State.TIMED_WAITING)
                .count();
    }

    private static void awaitIdle(int count) {
        await().atMost(SOON).until(() -> idle() == count);
    }

    @Test
    void noTaskWaitsForTheEndOfAnotherOne() {
        runAtOnce(LIMIT);
        awaitIdle(LIMIT);

        runAtOnce(LIMIT);

        assertThat(threads()).hasSize(LIMIT);
    }

    @Test
    void aTaskOverTheLimitRunsWhenOneOfTheOthersHasEnded() {
        CountDownLatch running = new CountDownLatch(LIMIT);
        CountDownLatch proceed = new CountDownLatch(1);
        for (int i = 0; i < LIMIT; i++) {
            pool.execute(() -> {
                running.countDown();
                assertThat(opened(proceed)).isTrue();
            });
        }
        assertThat(opened(running)).isTrue();
        CountDownLatch last = new CountDownLatch(1);
        pool.execute(last::countDown);
        assertThat(last.getCount()).isOne();

        proceed.countDown();

        assertThat(opened(last)).isTrue();
        assertThat(threads()).hasSize(LIMIT);
    }

    /** To wake each of them would cost more than the tasks. The woken one stands in line for the monitor here. */
    @Test
    void tasksThatComeTogetherWakeOneThreadWhichWakesTheNext() {
        runAtOnce(LIMIT);
        awaitIdle(LIMIT);
        CountDownLatch done = new CountDownLatch(LIMIT);

        synchronized (pool) {
            for (int i = 0; i < LIMIT; i++) {
                pool.execute(done::countDown);
            }
            await().atMost(SOON).during(Duration.ofMillis(100)).until(() -> idle() == LIMIT - 1);
        }

        assertThat(opened(done)).isTrue();
    }

    @Test
    void aThreadOutlivesAFailureAndAnInterruptThatATaskLeavesBehind() {
        CountDownLatch left = new CountDownLatch(2);
        pool.execute(() -> {
            left.countDown();
            throw new IllegalStateException("for the test");
        });
        pool.execute(() -> {
            Thread.currentThread().interrupt();
            left.countDown();
        });
        assertThat(opened(left)).isTrue();
        awaitIdle(threads().size());

        runAtOnce(LIMIT);
    }

    /** Code in Kotlin throws checked exceptions, and a failure may fail again when it is logged. */
    @Test
    void theOnlyThreadOutlivesWhateverATaskThrows() {
        CallbackPool single = pool(NAME + "-single", 1);
        List<Throwable> failures = List.of(new IOException("for the test"), new Throwable(), new UnloggableError());
        for (Throwable failure : failures) {
            single.execute(() -> {
                throw FailingListener.<RuntimeException>sneak(failure);
            });
        }
        CountDownLatch last = new CountDownLatch(1);
        single.execute(last::countDown);

        assertThat(opened(last)).isTrue();
        single.close();
    }

    /** No later task comes that would start one. */
    @Test
    void aThreadThatCouldNotBeStartedIsStartedByTheTimer() {
        ManualClock clock = ManualClock.startingAt(0);
        AtomicInteger starts = new AtomicInteger();
        CallbackExecutor callbacks = CallbackExecutor.onThreads(thread -> {
            if (starts.getAndIncrement() < 2) {
                throw new OutOfMemoryError("unable to create a thread");
            }
            thread.start();
        });
        EngineContext engine = new EngineContext(
                new InMemoryLeaseStore(new SharedLeases(clock), "one", new TestNetwork()),
                EngineSettings.DEFAULTS,
                clock,
                bound -> 0,
                callbacks,
                event -> {},
                null,
                () -> {});
        CountDownLatch done = new CountDownLatch(1);
        engine.callbacks().event(done::countDown);
        for (int i = 0; i < 2; i++) {
            assertThat(done.getCount()).isOne();
            clock.advanceMillis(100);
            engine.runTimers();
        }

        assertThat(opened(done)).isTrue();
        assertThat(starts).hasValue(3);
        assertThat(engine.timers().size()).isZero();
        callbacks.close();
    }

    @Test
    void idleThreadsEndAfterAWhile() {
        CallbackPool brief = pool(NAME + "-brief", LIMIT, TimeUnit.MILLISECONDS.toNanos(50));
        CountDownLatch done = new CountDownLatch(1);
        brief.execute(done::countDown);
        assertThat(opened(done)).isTrue();

        awaitThreads(0);

        CountDownLatch again = new CountDownLatch(1);
        brief.execute(again::countDown);
        assertThat(opened(again)).isTrue();
        brief.close();
    }

    @Test
    void aClosedPoolStillRunsWhatComes() {
        runAtOnce(2);
        pool.close();
        awaitThreads(0);

        runAtOnce(LIMIT);
    }

    /** Each pair needs two threads at once; threads come, go idle and end meanwhile. */
    @Test
    void tasksThatWaitForLaterOnesAreNeverLeftAlone() {
        Random random = new Random(Seeds.of("callbackPool.seed"));
        CallbackPool brief = pool(NAME + "-brief", LIMIT, TimeUnit.MICROSECONDS.toNanos(200));
        List<CountDownLatch> done = new ArrayList<>();
        for (int round = 0; round < 2_000; round++) {
            CountDownLatch later = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(1);
            done.add(ended);
            brief.execute(() -> {
                if (opened(later)) {
                    ended.countDown();
                }
            });
            for (int spins = random.nextInt(300); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            brief.execute(later::countDown);
            if (random.nextInt(20) == 0) {
                assertThat(opened(ended)).isTrue();
            }
        }
        assertThat(done).allMatch(CallbackPoolTests::opened);
        brief.close();
    }

    @Test
    void theInterruptOfATaskIsNotSeenByTheNextOne() {
        CallbackPool narrow = pool(NAME, 1);
        CountDownLatch queued = new CountDownLatch(1);
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        narrow.execute(() -> {
            opened(queued);
            Thread.currentThread().interrupt();
        });
        narrow.execute(() -> seen.complete(Thread.interrupted()));

        queued.countDown();

        assertThat(seen).succeedsWithin(SOON).isEqualTo(false);
        narrow.close();
    }
}
