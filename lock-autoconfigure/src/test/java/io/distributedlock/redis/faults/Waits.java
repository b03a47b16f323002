/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ConditionTimeoutException;

/** How long faults last, and what they wait for. */
final class Waits {

    private static final Duration STEP = Duration.ofMillis(1);

    private Waits() {}

    /** The length is part of the fault, or of the random distance to the next one. No fault waits here for an event. */
    static void pause(long millis) {
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Whether it has become true within so many milliseconds. */
    static boolean until(long millis, BooleanSupplier condition) {
        try {
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(STEP)
                    .atMost(Duration.ofMillis(millis))
                    .until(condition::getAsBoolean);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }
}
