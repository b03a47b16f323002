/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that watches the clock for all locks of an engine. It runs no application code and waits for no reply.
 */
final class TimerThread implements Runnable {

    private static final long LONGEST_SLEEP_NANOS = 3_600_000_000_000L;

    private static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000;

    private final Thread thread;

    /** Set before the thread starts. */
    private @Nullable EngineContext engine;

    private volatile boolean stopped;

    TimerThread() {
        this.thread = LibraryThreads.create("distributed-lock-timer", this);
    }

    void start(EngineContext context) {
        engine = context;
        thread.start();
    }

    void wakeUp() {
        LockSupport.unpark(thread);
    }

    void stop() {
        stopped = true;
        wakeUp();
    }

    @Override
    public void run() {
        EngineContext context = Objects.requireNonNull(engine);
        while (!stopped) {
            try {
                turn(context);
            } catch (Throwable ex) {
                // What runs here logs its own failures. Without this thread, no lease would be renewed any more.
                LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
            }
        }
        context.runHandedOver();
    }

    private void turn(EngineContext context) {
        context.runTimers();
        long sleep = context.timers().plan(context.now(), LONGEST_SLEEP_NANOS);
        // The permit to continue may have been used up since by another wait of this thread.
        if (sleep > 0 && !stopped && !context.hasHandedOver()) {
            LockSupport.parkNanos(this, sleep);
        }
    }
}
