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
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.ReleaseResult;
import io.distributedlock.testing.Background;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An owner that is a text is the same one in every instance. */
abstract class ExplicitOwnerContract extends AbstractLockContract {

    private static final LockRequest REQUEST = LockRequest.of("owned").owner("job-1");

    ExplicitOwnerContract(LockServer server) {
        super(server);
    }

    @Test
    void entersAgainInEveryInstanceAndThread() {
        LockHandle one = first.acquire(REQUEST.noWait());
        LockHandle two = second.acquire(REQUEST.noWait());
        LockHandle three = callers.call(() -> first.acquire(REQUEST.noWait())).get();
        assertThat(List.of(two, three)).extracting(LockHandle::fencingToken).containsOnly(one.fencingToken());
        for (LockHandle handle : List.of(one, three, two)) {
            assertThat(handle.isHeld()).isTrue();
            assertThat(isBusy(first, "owned")).isTrue();
            assertThat(isBusy(second, "owned")).isTrue();
            handle.close();
        }
        assertThat(isBusy(first, "owned")).isFalse();
        try (LockHandle next = second.acquire(REQUEST)) {
            assertThat(next.fencingToken()).isGreaterThan(one.fencingToken());
        }
    }

    @Test
    void keepsOutOtherOwnersAndThreads() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            for (RedisLockTemplate instance : List.of(first, second)) {
                assertThat(instance.tryAcquire(REQUEST.owner("job-2").noWait())).isEmpty();
                assertThat(instance.tryAcquire(LockRequest.of("owned").noWait()))
                        .isEmpty();
            }
            assertThat(handle.isHeld()).isTrue();
        }
        try (LockHandle thread = first.acquire(LockRequest.of("owned"))) {
            assertThat(thread.isHeld()).isTrue();
            assertThat(first.tryAcquire(REQUEST.noWait())).isEmpty();
            assertThat(second.tryAcquire(REQUEST.noWait())).isEmpty();
        }
    }

    @Test
    void isRefusedAtOnceWhenTheRequestIsNotReentrant() {
        try (LockHandle handle = first.acquire(REQUEST)) {
            assertThat(handle.isHeld()).isTrue();
            LockRequest once = REQUEST.reentrant(false).waitForever();
            for (RedisLockTemplate instance : List.of(first, second)) {
                assertThat(Stopwatch.time(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
                                .isThrownBy(() -> instance.acquire(once))))
                        .isLessThan(Noise.now());
            }
        }
    }

    @Test
    void oneWaiterAtATimeGetsTheLockIfTheyAreNotReentrant() {
        LockHandle elsewhere = first.acquire(LockRequest.of("owned"));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(first, second, first, second)) {
            callers.add(Background.run(() -> {
                try {
                    instance.execute(REQUEST.reentrant(false).waitForever(), handle -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        entered.incrementAndGet();
                        // Some round trips, in which another caller would enter.
                        for (int i = 0; i < 50; i++) {
                            assertThat(instance.inspect("owned")).isPresent();
                        }
                        return inside.decrementAndGet();
                    });
                } catch (LockNotAcquiredException ex) {
                    assertThat(ex).hasMessageContaining("not re-entrant");
                }
            }));
        }
        await().until(() -> first.inspect("owned").orElseThrow().waitingInstances() == 4);
        elsewhere.close();
        callers.forEach(caller -> assertThat(caller).succeedsWithin(Noise.patience()));
        assertThat(most).hasValue(1);
        assertThat(entered.get()).isPositive();
    }

    @Test
    void releaseDistinguishesFourResults() {
        assertThat(first.release("owned", "job-1")).isEqualTo(ReleaseResult.NOT_HELD);
        LockHandle one = first.acquire(REQUEST);
        LockHandle two = second.acquire(REQUEST);
        assertThat(second.release("owned", "job-2")).isEqualTo(ReleaseResult.NOT_YOURS);
        assertThat(second.release("owned", "job-1")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(one.isHeld()).isTrue();
        assertThat(two.isHeld()).isTrue();
        assertThat(isBusy(first, "owned")).isTrue();
        assertThat(first.release("owned", "job-1")).isEqualTo(ReleaseResult.RELEASED);
        assertThat(isBusy(first, "owned")).isFalse();
        assertThat(first.release("owned", "job-1")).isEqualTo(ReleaseResult.NOT_HELD);
        assertLost(one, two);
    }

    /** Its name is no list, and the instances are those of its holds. */
    @Test
    void isShownWithTheInstancesOfItsHolds() {
        String owner = "billing, %2C nightly =x";
        String one = first.activity().instance();
        String two = second.activity().instance();
        try (LockHandle here = first.acquire(LockRequest.of("owned").owner(owner));
                LockHandle there = second.acquire(LockRequest.of("owned").owner(owner))) {
            assertThat(List.of(here, there)).allMatch(LockHandle::isHeld);
            assertThat(second.inspect("owned")).get().satisfies(state -> {
                assertThat(state.owner()).isEqualTo(owner);
                assertThat(state.explicitOwner()).isTrue();
                assertThat(state.instances()).containsExactlyInAnyOrder(one, two);
            });
        }
    }

    @Test
    void releaseIsRefusedWhenAThreadHoldsTheLock() {
        try (LockHandle handle = first.acquire(LockRequest.of("owned"))) {
            assertThat(second.release("owned", "job-1")).isEqualTo(ReleaseResult.NOT_YOURS);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void releaseElsewhereEndsTheHandlesPromptly() {
        LockHandle one = first.acquire(REQUEST);
        LockHandle two = second.acquire(REQUEST);
        CountDownLatch lost = new CountDownLatch(2);
        one.onLost(lost::countDown);
        two.onLost(lost::countDown);
        RedisLockTemplate third = template(Templates.PATIENT);
        assertThat(third.release("owned", "job-1")).isEqualTo(ReleaseResult.STILL_HELD);
        assertThat(third.release("owned", "job-1")).isEqualTo(ReleaseResult.RELEASED);
        awaitLatch(lost, Duration.ZERO);
        assertLost(one, two);
    }

    /** Who gave one of two holds back by name ends the lock with the close of the other. */
    @Test
    void releasesByNameAndByHandleAddUp() {
        LockHandle one = first.acquire(REQUEST);
        LockHandle two = second.acquire(REQUEST);
        assertThat(first.release("owned", "job-1")).isEqualTo(ReleaseResult.STILL_HELD);
        one.close();
        assertThat(isBusy(first, "owned")).isFalse();
        await().atMost(Noise.LATEST).until(() -> !two.isHeld());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(two::close);
    }

    @Test
    void isRenewedWhileAnyInstanceHoldsIt() {
        HoldAssertions.assertUnlessStalled(millis(150), this::assertRenewedWhileAnyInstanceHoldsIt);
    }

    private void assertRenewedWhileAnyInstanceHoldsIt() {
        LockHandle one = first.acquire(REQUEST.lease(millis(900)));
        LockHandle two = second.acquire(REQUEST.lease(millis(1_000)));
        HoldAssertions.assertHeldFor(
                one, millis(1_200), () -> assertThat(two.isHeld()).isTrue());
        one.close();
        HoldAssertions.assertHeldFor(
                two, millis(1_200), () -> assertThat(onlyTtl()).isPositive());
        two.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void waitsForItsTurnAndIsWoken() {
        LockHandle other = first.acquire(LockRequest.of("owned"));
        List<TestCallers.Call<LockHandle>> calls = new ArrayList<>();
        for (RedisLockTemplate instance : List.of(first, second, second)) {
            calls.add(callers.call(() -> instance.acquire(REQUEST)));
        }
        await().until(() -> first.inspect("owned").orElseThrow().waitingInstances() >= 2);
        Stopwatch watch = Stopwatch.start();
        other.close();
        List<LockHandle> handles = calls.stream().map(TestCallers.Call::get).toList();
        assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1).plus(Noise.now()));
        assertThat(handles)
                .extracting(LockHandle::fencingToken)
                .containsOnly(handles.get(0).fencingToken());
        assertThat(handles.get(0).fencingToken()).isGreaterThan(other.fencingToken());
        assertThat(handles).allMatch(LockHandle::isHeld);
        handles.forEach(LockHandle::close);
    }

    @Test
    void isShownAsItIs() {
        for (String owner : List.of("job-1", "=", "a b;c", "{x}", "é🔒", "%41", "line\nbreak", "x".repeat(300))) {
            try (LockHandle handle = first.acquire(REQUEST.owner(owner))) {
                assertThat(second.inspect("owned")).get().satisfies(state -> {
                    assertThat(state.owner()).isEqualTo(owner);
                    assertThat(state.fencingToken()).isEqualTo(handle.fencingToken());
                });
                assertThat(second.release("owned", owner + " ")).isEqualTo(ReleaseResult.NOT_YOURS);
            }
        }
        assertThat(second.inspect("owned").map(LockState::owner)).isEmpty();
    }

    @Test
    void forcedReleaseEndsAllHandlesOfTheOwner() {
        LockHandle one = first.acquire(REQUEST);
        LockHandle two = second.acquire(REQUEST);
        assertThat(first.forceRelease("owned")).isTrue();
        assertLost(one, two);
    }

    private static void assertLost(LockHandle... handles) {
        for (LockHandle handle : handles) {
            await().atMost(Noise.LATEST).until(() -> !handle.isHeld());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        }
    }
}
