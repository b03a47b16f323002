/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.locks.LockSupport;

/** The one thread that watches the clock for all locks of an engine. It runs no user code and waits for no answer. */
final class TimerThread implements Runnable {

    private static final long LONGEST_SLEEP = 3_600_000_000_000L;

    private final LockEngine engine;

    private final Thread thread;

    private volatile boolean stopped;

    TimerThread(LockEngine engine) {
        this.engine = engine;
        this.thread = new Thread(this, "distributed-lock-timer");
        thread.setDaemon(true);
    }

    void start() {
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
        while (!stopped) {
            engine.runTimers();
            long sleep = engine.timers().plan(engine.now(), LONGEST_SLEEP);
            if (sleep > 0 && !stopped) {
                LockSupport.parkNanos(this, sleep);
            }
        }
    }
}
