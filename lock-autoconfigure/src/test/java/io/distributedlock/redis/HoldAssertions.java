/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.testing.Noise;
import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;

/** Watching holds over time. */
final class HoldAssertions {

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

    /** Looks every few milliseconds; each look must be satisfied. */
    static void assertAllTheTime(Duration time, ThrowingRunnable check) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plusSeconds(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    try {
                        check.run();
                    } catch (Throwable e) {
                        throw new AssertionError(e.getMessage(), e);
                    }
                    return System.nanoTime() - end >= 0;
                });
    }

    /** For what a noisy machine may spoil by itself: one of a few tries must do. */
    static void assertSoon(int tries, Runnable check) {
        for (int i = 1; ; i++) {
            try {
                check.run();
                return;
            } catch (AssertionError | LockLostException e) {
                if (i == tries) {
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
