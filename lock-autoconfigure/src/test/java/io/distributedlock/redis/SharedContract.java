/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many readers or one writer. */
abstract class SharedContract extends AbstractLockContract {

    private static final LockRequest WRITE = LockRequest.of("shared").waitForever();

    private static final LockRequest READ = WRITE.mode(LockMode.SHARED);

    SharedContract(LockServer server) {
        super(server);
    }

    private boolean isReadable(RedisLockTemplate instance) {
        return callers.call(() -> {
                    var handle = instance.tryAcquire(READ.noWait());
                    handle.ifPresent(LockHandle::close);
                    return handle.isPresent();
                })
                .get();
    }

    private void awaitWaiting(int count) {
        await().atMost(Noise.LATEST)
                .until(() ->
                        first.inspect("shared").map(LockState::waitingInstances).orElse(0) == count);
    }

    @Test
    void readersHoldTogetherAndAWriterHoldsAlone() {
        LockHandle here = first.acquire(READ);
        LockHandle beside = callers.call(() -> first.acquire(READ)).get();
        LockHandle there = second.acquire(READ);
        for (LockHandle reading : List.of(here, there, beside)) {
            assertThat(reading.isHeld()).isTrue();
            assertThat(isBusy(first, "shared") && isBusy(second, "shared")).isTrue();
            assertThat(isReadable(first) && isReadable(second)).isTrue();
            reading.close();
        }
        try (LockHandle writing = second.acquire(WRITE)) {
            assertThat(isReadable(first) || isReadable(second)).isFalse();
            for (LockHandle reading : List.of(here, there, beside)) {
                assertThat(writing.fencingToken()).isGreaterThan(reading.fencingToken());
            }
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void isShownWithTheInstancesOfItsReaders() {
        String one = first.activity().instance();
        String two = second.activity().instance();
        try (LockHandle here = first.acquire(READ);
                LockHandle there = second.acquire(READ);
                LockHandle beside = callers.call(() -> first.acquire(READ)).get()) {
            assertThat(List.of(here, there, beside)).allMatch(LockHandle::isHeld);
            assertThat(second.inspect("shared")).get().satisfies(state -> {
                assertThat(state.owner()).isEqualTo(one + ", " + two);
                assertThat(state.explicitOwner()).isFalse();
                assertThat(state.instances()).containsExactly(one, two);
                assertThat(state.waitingInstances()).isZero();
            });
            assertThat(first.activity().held()).hasSize(2);
        }
    }

    @Test
    void aWriterIsNotStarvedByNewReaders() {
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger written = new AtomicInteger();
        List<TestCallers.Call<Object>> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            RedisLockTemplate instance = i % 2 == 0 ? first : second;
            readers.add(callers.call(() -> {
                while (written.get() < 3) {
                    try (LockHandle handle = instance.acquire(READ)) {
                        reads.incrementAndGet();
                        HoldAssertions.assertHeldFor(handle, millis(20), () -> {});
                    }
                }
                return null;
            }));
        }
        await().atMost(Noise.LATEST).until(() -> reads.get() > 6);
        for (int i = 0; i < 3; i++) {
            Stopwatch watch = Stopwatch.start();
            try (LockHandle writing = second.acquire(WRITE)) {
                assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1).plus(Noise.now()));
                assertThat(writing.isHeld()).isTrue();
                written.incrementAndGet();
            }
        }
        readers.forEach(TestCallers.Call::get);
    }

    @Test
    void readersBehindAWriterEnterTogetherWhenItLeavesTheLine() {
        LockHandle reading = first.acquire(READ);
        CompletableFuture<LockHandle> writer = second.acquireAsync(WRITE).toCompletableFuture();
        awaitWaiting(1);
        CompletableFuture<LockHandle> here = first.acquireAsync(READ).toCompletableFuture();
        CompletableFuture<LockHandle> there = second.acquireAsync(READ).toCompletableFuture();
        awaitWaiting(3);
        assertThat(here.isDone() || there.isDone()).isFalse();

        writer.cancel(false);

        LockHandle one = TestCallers.get(here);
        LockHandle two = TestCallers.get(there);
        assertThat(List.of(reading, one, two)).allMatch(LockHandle::isHeld);
        List.of(reading, one, two).forEach(LockHandle::close);
    }

    @Test
    void manyReadersOfOneInstanceHaveOneTurnTogether() {
        LockHandle writing = second.acquire(WRITE);
        CountDownLatch inside = new CountDownLatch(50);
        List<TestCallers.Call<Boolean>> readers = IntStream.range(0, 50)
                .mapToObj(i -> callers.call(() -> {
                    try (LockHandle handle = first.acquire(READ)) {
                        inside.countDown();
                        awaitLatch(inside, Duration.ofSeconds(2));
                        return handle.isHeld();
                    }
                }))
                .toList();
        await().atMost(Noise.LATEST).until(() -> first.activity().waiting().size() == 50);
        CompletableFuture<LockHandle> next = second.acquireAsync(WRITE).toCompletableFuture();
        writing.close();
        assertThat(readers).allMatch(TestCallers.Call::get);
        TestCallers.get(next).close();
    }

    @Test
    void nestedCallsEnterAgainWhileAWriterWaitsAndNeverWaitForThemselves() {
        try (LockHandle outer = first.acquire(READ)) {
            CompletableFuture<LockHandle> writer = second.acquireAsync(WRITE).toCompletableFuture();
            awaitWaiting(1);
            try (LockHandle inner = first.acquire(READ.noWait())) {
                assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
            }
            Stopwatch watch = Stopwatch.start();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> first.acquire(WRITE))
                    .withMessageContaining("SHARED")
                    .satisfies(ex -> assertThat(ex.lockName()).isEqualTo("shared"));
            assertThat(watch.elapsed()).isLessThan(Noise.now());
            assertThat(outer.isHeld()).isTrue();
            assertThat(writer).isNotDone();
            outer.close();
            TestCallers.get(writer).close();
        }
        try (LockHandle writing = first.acquire(WRITE);
                LockHandle reading = first.acquire(READ);
                LockHandle again = first.acquire(WRITE)) {
            assertThat(List.of(writing, reading, again)).allMatch(LockHandle::isHeld);
            assertThat(reading.fencingToken()).isEqualTo(writing.fencingToken());
        }
    }

    @Test
    void severalNamesAreSharedTogetherAndRefusedTogether() {
        LockRequest all = LockRequest.ofAll(List.of("shared", "shared 2")).mode(LockMode.SHARED);
        try (LockHandle here = first.acquire(all);
                LockHandle there = second.acquire(all)) {
            assertThat(here.isHeld() && there.isHeld()).isTrue();
            assertThat(isBusy(first, "shared") && isBusy(second, "shared 2")).isTrue();
            LockRequest exclusive = LockRequest.ofAll(List.of("before", "shared"));
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> first.acquire(exclusive))
                    .withMessageContaining("SHARED");
            assertThat(isBusy(first, "before")).isFalse();
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void isRenewedForEachReaderAndLostByEachAlone() {
        LockHandle hard = first.acquire(READ.lease(millis(300)).renew(false));
        LockHandle renewed = second.acquire(READ.lease(millis(3_000)));
        CountDownLatch lost = new CountDownLatch(1);
        hard.onLost(lost::countDown);
        HoldAssertions.awaitRenewals(renewed, 1);
        awaitLatch(lost, Duration.ZERO);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(hard::close);
        renewed.extend(Duration.ofSeconds(20));
        assertThat(onlyTtl()).isGreaterThan(15_000);
        renewed.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void forcedReleaseEndsTheHoldsOfAllReaders() {
        LockHandle here = first.acquire(READ);
        LockHandle there = second.acquire(READ);
        CountDownLatch lost = new CountDownLatch(2);
        here.onLost(lost::countDown);
        there.onLost(lost::countDown);
        assertThat(second.forceRelease("shared")).isTrue();
        awaitLatch(lost, Duration.ZERO);
        for (LockHandle handle : List.of(here, there)) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
    }

    @Test
    void aViewAsLockIsShared() {
        Lock here = first.asLock(READ);
        Lock there = second.asLock(READ);
        here.lock();
        assertThat(there.tryLock()).isTrue();
        assertThat(callers.call(() -> second.asLock(WRITE).tryLock()).get()).isFalse();
        here.unlock();
        there.unlock();
        assertThat(keys()).isEmpty();
    }

    @Test
    void closesThroughTheStageAndIsCancelled() {
        LockHandle reading = TestCallers.get(first.acquireAsync(READ).toCompletableFuture());
        CompletableFuture<LockHandle> writer = second.acquireAsync(WRITE).toCompletableFuture();
        awaitWaiting(1);
        CompletableFuture<LockHandle> leaving = first.acquireAsync(READ).toCompletableFuture();
        awaitWaiting(2);
        leaving.cancel(false);
        awaitWaiting(1);
        TestCallers.get(reading.closeAsync().toCompletableFuture());
        TestCallers.get(writer).close();
        assertThat(keys()).isEmpty();
    }
}
