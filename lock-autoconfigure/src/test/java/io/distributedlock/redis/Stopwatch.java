/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.time.Duration;

/** How long something took, by the monotonic clock. */
final class Stopwatch {

    private final long start = System.nanoTime();

    static Stopwatch start() {
        return new Stopwatch();
    }

    static Duration time(Runnable task) {
        Stopwatch watch = start();
        task.run();
        return watch.elapsed();
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
