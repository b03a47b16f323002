/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits until a condition holds. */
final class Waiting {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private Waiting() {}

    /**
     * Asks again every few milliseconds. A condition that throws an unchecked exception does not hold yet.
     *
     * @throws IllegalStateException after 60 s; the message says what did not happen, the cause is the latest exception
     */
    static void until(String what, BooleanSupplier condition) {
        AtomicReference<RuntimeException> latest = new AtomicReference<>();
        boolean holds = within(LIMIT, () -> {
            try {
                latest.set(null);
                return condition.getAsBoolean();
            } catch (RuntimeException e) {
                latest.set(e);
                return false;
            }
        });
        if (!holds) {
            throw new IllegalStateException("Not within " + LIMIT.toSeconds() + " s: " + what, latest.get());
        }
    }

    /** Asks again every few milliseconds. Returns whether the condition held within the limit. */
    static boolean within(Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE);
        }
        return true;
    }
}
