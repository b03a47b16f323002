/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how often something happens in a second; a few more are allowed if several threads call when a second begins.
 */
final class PerSecondLimiter {

    private static final long SECOND_NANOS = 1_000_000_000;

    private final int eachSecond;

    private final AtomicInteger used = new AtomicInteger();

    private volatile long secondBegan = NanoClock.SYSTEM.nanos();

    PerSecondLimiter(int eachSecond) {
        this.eachSecond = eachSecond;
    }

    boolean allows() {
        long now = NanoClock.SYSTEM.nanos();
        if (now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            used.set(0);
        }
        return used.incrementAndGet() <= eachSecond;
    }
}
