/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Time that passes. */
final class Waits {

    private static final long STEP = Duration.ofMillis(1).toNanos();

    private Waits() {}

    static void pause(long millis) {
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Whether it has become true within so many milliseconds. */
    static boolean until(long millis, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(STEP);
        }
        return true;
    }
}
