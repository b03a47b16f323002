/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ThrowingRunnable;

/** Watching holds over time. */
final class HoldAssertions {

    private static final int MOST_TRIES = 10;

    private HoldAssertions() {}

    /** Looks every few milliseconds; each look must find it held and the check satisfied. */
    static void assertHeldFor(LockHandle handle, Duration time, ThrowingRunnable check) {
        assertAllTheTime(time, () -> {
            assertThat(handle.isHeld()).as("held").isTrue();
            assertThat(handle.remainingLease()).isPositive();
            handle.throwIfLost();
            check.run();
        });
    }

    /**
     * Waits until the lease was renewed so many times from now on. It must be held all that time. The lease should be
     * long enough for a machine that stands still for a moment.
     */
    static void awaitRenewals(LockHandle handle, int times) {
        awaitRenewals(handle, times, () -> {});
    }

    /** The same, and each look must satisfy the check. */
    static void awaitRenewals(LockHandle handle, int times, ThrowingRunnable check) {
        Duration[] last = {handle.remainingLease()};
        int[] seen = {0};
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    assertThat(handle.isHeld()).as("held").isTrue();
                    handle.throwIfLost();
                    satisfy(check);
                    Duration now = handle.remainingLease();
                    seen[0] += now.compareTo(last[0]) > 0 ? 1 : 0;
                    last[0] = now;
                    return seen[0] >= times;
                });
    }

    /** Waits until the lease of each was renewed from now on. All must be held all that time. */
    static void awaitRenewalOfEach(List<LockHandle> handles) {
        List<Duration> last =
                new ArrayList<>(handles.stream().map(LockHandle::remainingLease).toList());
        BitSet renewed = new BitSet();
        await().pollInSameThread().pollInterval(Duration.ofMillis(20)).until(() -> {
            for (int i = 0; i < handles.size(); i++) {
                assertThat(handles.get(i).isHeld()).as("held").isTrue();
                Duration now = handles.get(i).remainingLease();
                renewed.set(i, renewed.get(i) || now.compareTo(last.get(i)) > 0);
                last.set(i, now);
            }
            return renewed.cardinality() == handles.size();
        });
    }

    /**
     * Whether the lock was granted; the grant is not released. A reply that is late, as on a busy machine, is no grant.
     *
     * @param replies counts the others, since a check without any reply says nothing
     */
    static boolean isGranted(LockOperations locks, LockRequest request, AtomicInteger replies) {
        try {
            boolean granted = locks.tryAcquire(request.noWait()).isPresent();
            replies.incrementAndGet();
            return granted;
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    /** Looks every few milliseconds; each look must be satisfied. */
    static void assertAllTheTime(Duration time, ThrowingRunnable check) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plusSeconds(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    satisfy(check);
                    return System.nanoTime() - end >= 0;
                });
    }

    private static void satisfy(ThrowingRunnable check) {
        try {
            check.run();
        } catch (Throwable e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    /**
     * For what a machine that stands still may spoil by itself: then, and only then, it is checked anew, a few times.
     *
     * @param harmless a thread that is woken up later than that may have spoilt it
     */
    static void assertUnlessStalled(Duration harmless, Runnable check) {
        for (int i = 1; ; i++) {
            long begin = System.nanoTime();
            try {
                check.run();
                return;
            } catch (AssertionError | DistributedLockException e) {
                if (i == MOST_TRIES || Noise.longestSince(begin).compareTo(harmless) < 0) {
                    throw e;
                }
            }
        }
    }

    /**
     * Waits until the hold is over, and returns how long that took.
     *
     * @param limit what it may take on a machine without noise
     */
    static Duration awaitLoss(LockHandle handle, Duration limit) {
        Stopwatch watch = Stopwatch.start();
        await().atMost(limit.plus(Noise.LATEST))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !handle.isHeld());
        Duration elapsed = watch.elapsed();
        assertThat(elapsed).isLessThan(limit.plus(Noise.now()));
        return elapsed;
    }
}
