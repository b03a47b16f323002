/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the loops of several threads. A thread that rests between two steps waits for the signal, so it never rests
 * longer than the test runs. Safe for use by any thread.
 */
public final class StopSignal {

    private final CountDownLatch latch = new CountDownLatch(1);

    public boolean isSet() {
        return latch.getCount() == 0;
    }

    /** Wakes all threads that wait. Further calls do nothing. */
    public void set() {
        latch.countDown();
    }

    /** Returns whether the signal was set within so many nanoseconds. An interrupt ends the wait and stays set. */
    public boolean isSetWithin(long nanos) {
        try {
            return latch.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return isSet();
        }
    }
}
