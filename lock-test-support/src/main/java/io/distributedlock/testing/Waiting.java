/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits until a condition holds. */
final class Waiting {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    private Waiting() {}

    /**
     * Asks again every 10 ms. A condition that throws an unchecked exception does not hold yet.
     *
     * @throws IllegalStateException after 60 s; the message says what did not happen, the cause is the latest exception
     */
    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        RuntimeException latest = null;
        while (true) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
                latest = null;
            } catch (RuntimeException e) {
                latest = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Not within " + LIMIT.toSeconds() + " s: " + what, latest);
            }
            LockSupport.parkNanos(PAUSE);
        }
    }
}
