/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes down when this JVM stood still: stopped, collecting garbage, or not given the processor. No lock can be blamed
 * for what took long meanwhile.
 */
public final class StallWatch implements AutoCloseable {

    private static final long STEP = Duration.ofMillis(10).toNanos();

    /** A stall that is worth a line. */
    private static final long STALL = Duration.ofMillis(40).toNanos();

    private final Supplier<@Nullable History> history;

    private volatile boolean closed;

    private StallWatch(Supplier<@Nullable History> history) {
        this.history = history;
    }

    /** @param history the one to write to at that moment, or null */
    public static StallWatch start(Supplier<@Nullable History> history) {
        StallWatch watch = new StallWatch(history);
        Thread thread = new Thread(watch::run, "stall-watch");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
        return watch;
    }

    private void run() {
        while (!closed) {
            long before = System.nanoTime();
            LockSupport.parkNanos(STEP);
            long after = System.nanoTime();
            History current = history.get();
            if (after - before > STEP + STALL && current != null) {
                current.stalled(before, after);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
