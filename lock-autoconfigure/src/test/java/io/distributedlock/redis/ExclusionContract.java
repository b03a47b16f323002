/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static io.distributedlock.redis.Templates.millis;
import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One caller at a time, of whatever kind. A counter that is read, and written a moment later, would tell otherwise. */
abstract class ExclusionContract extends AbstractLockContract {

    private static final int CALLERS = 8;

    private final AtomicInteger counter = new AtomicInteger();

    private final AtomicInteger inside = new AtomicInteger();

    private final AtomicInteger overlaps = new AtomicInteger();

    ExclusionContract(LockServer server) {
        super(server);
    }

    @Test
    void callersOfOneInstance() {
        countUp(50, LockRequest.of("counter"), first);
    }

    @Test
    void callersOfTwoInstances() {
        countUp(50, LockRequest.of("counter"), first, second);
    }

    @Test
    void callersOfFourInstances() {
        countUp(25, LockRequest.of("counter"), first, second, template(Templates.PATIENT), template(Templates.PATIENT));
    }

    @Test
    void callersWithDifferentExplicitOwners() {
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            LockOperations locks = i % 2 == 0 ? first : second;
            LockRequest request = LockRequest.of("counter").owner("owner-" + i).waitForever();
            calls.add(callers.call(() -> countUp(locks, request, 15)));
        }
        calls.forEach(TestCallers.Call::get);
        assertCounted(CALLERS * 15);
    }

    @Test
    void callersThatDoNotWait() {
        List<TestCallers.Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            LockOperations locks = i % 2 == 0 ? first : second;
            calls.add(callers.call(() -> {
                int granted = 0;
                for (int n = 0; n < 100; n++) {
                    granted += locks.tryAcquire(LockRequest.of("counter").noWait())
                            .map(this::countAndClose)
                            .orElse(0);
                }
                return granted;
            }));
        }
        assertCounted(calls.stream().mapToInt(TestCallers.Call::get).sum());
    }

    @Test
    void callersOfTheAsynchronousMethod() {
        List<CompletableFuture<Integer>> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            LockOperations locks = i % 2 == 0 ? first : second;
            outcomes.add(locks.acquireAsync(LockRequest.of("counter").waitForever())
                    .thenApplyAsync(this::countAndClose, Background.newThread())
                    .toCompletableFuture());
        }
        outcomes.forEach(TestCallers::get);
        assertCounted(100);
    }

    /** Renewal keeps everybody else out for much longer than the lease. */
    @Test
    void workThatTakesLongerThanTheLease() {
        HoldAssertions.assertUnlessStalled(millis(150), this::countLongWork);
        assertCounted(2);
    }

    private void countLongWork() {
        counter.set(0);
        inside.set(0);
        overlaps.set(0);
        List<TestCallers.Call<Integer>> calls = new ArrayList<>();
        for (LockOperations locks : List.of(first, second)) {
            calls.add(callers.call(() -> {
                try (LockHandle handle = locks.acquire(leased("counter", 900).waitForever())) {
                    count(() -> HoldAssertions.awaitRenewals(handle, 5));
                    assertThat(handle.isHeld()).isTrue();
                }
                return 1;
            }));
        }
        TestCallers.getAllInto(new ArrayList<>(), calls);
    }

    @Test
    void differentNamesDoNotWaitForEachOther() {
        try (LockHandle one = first.acquire(LockRequest.of("one"));
                LockHandle two = second.acquire(LockRequest.of("two").noWait());
                LockHandle three = first.acquire(LockRequest.of("three").noWait())) {
            assertThat(List.of(one, two, three)).allMatch(LockHandle::isHeld);
        }
    }

    @Test
    void executeHoldsTheLockWhileTheCallbackRuns() {
        String result = first.execute(LockRequest.of("executed"), handle -> {
            assertThat(LockHandle.current()).containsSame(handle);
            assertThat(isBusy(second, "executed")).isTrue();
            return "result";
        });
        assertThat(result).isEqualTo("result");
        assertThat(LockHandle.current()).isEmpty();
        assertThat(isBusy(second, "executed")).isFalse();
    }

    private void countUp(int times, LockRequest request, LockOperations... instances) {
        List<TestCallers.Call<?>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            LockOperations locks = instances[i % instances.length];
            calls.add(callers.call(() -> countUp(locks, request.waitUpTo(millis(30_000)), times)));
        }
        calls.forEach(TestCallers.Call::get);
        assertCounted(CALLERS * times);
    }

    private int countUp(LockOperations locks, LockRequest request, int times) {
        for (int i = 0; i < times; i++) {
            countAndClose(locks.acquire(request));
        }
        return times;
    }

    private int countAndClose(LockHandle handle) {
        try (handle) {
            count(this::keys);
            return 1;
        }
    }

    /** @param work between the read and the write */
    private void count(Runnable work) {
        if (inside.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
        int read = counter.get();
        work.run();
        counter.set(read + 1);
        inside.decrementAndGet();
    }

    private void assertCounted(int expected) {
        assertThat(expected).isPositive();
        assertThat(overlaps).hasValue(0);
        assertThat(counter).hasValue(expected);
    }
}
