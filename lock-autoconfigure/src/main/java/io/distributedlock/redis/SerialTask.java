/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A task that several threads may run, of which one at a time does. A request that comes meanwhile does not wait: the
 * running thread runs the task once more.
 */
final class SerialTask implements Runnable {

    private final Runnable task;

    private final AtomicBoolean running = new AtomicBoolean();

    private final AtomicInteger requests = new AtomicInteger();

    /** @param task does not throw */
    SerialTask(Runnable task) {
        this.task = task;
    }

    @Override
    public void run() {
        requests.incrementAndGet();
        while (requests.get() != 0 && running.compareAndSet(false, true)) {
            try {
                requests.set(0);
                task.run();
            } finally {
                running.set(false);
            }
        }
    }
}
