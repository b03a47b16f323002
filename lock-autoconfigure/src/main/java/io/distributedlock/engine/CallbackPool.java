/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Threads for one kind of application code. A task goes to an idle thread, the one that was busy last, or to a new
 * thread as long as there are fewer than the limit; only then it waits. Idle threads end after five seconds, and at
 * once when the pool is closed; a closed pool still runs what comes.
 */
final class CallbackPool implements Executor {

    private static final Log log = LogFactory.getLog(CallbackPool.class);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String name;

    private final int limit;

    private final ReentrantLock lock = new ReentrantLock();

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private final ArrayDeque<Worker> idle = new ArrayDeque<>();

    private int threads;

    private long started;

    private boolean closed;

    CallbackPool(String name, int limit) {
        this.name = name;
        this.limit = limit;
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            Worker worker = idle.pollLast();
            if (worker != null) {
                worker.give(task);
            } else {
                tasks.add(task);
                if (threads < limit) {
                    startWorker();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Without memory for another thread, the task waits for one of the others, or for the next task. */
    private void startWorker() {
        try {
            // Nothing is inherited from the thread that happens to start it, be it of a request or of the network.
            Thread thread = new Thread(null, new Worker(), name + "-" + ++started, 0, false);
            thread.setContextClassLoader(CallbackPool.class.getClassLoader());
            thread.setDaemon(true);
            thread.start();
            threads++;
        } catch (OutOfMemoryError ex) {
            log.error("A thread for callbacks of distributed locks could not be started", ex);
        }
    }

    /** What was handed in still runs. */
    void close() {
        lock.lock();
        try {
            closed = true;
            idle.forEach(Worker::wakeUp);
        } finally {
            lock.unlock();
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error ex) {
            log.warn("A callback of a distributed lock has failed", ex);
        }
    }

    private final class Worker implements Runnable {

        private final Condition given = lock.newCondition();

        private @Nullable Runnable task;

        void give(Runnable next) {
            task = next;
            given.signal();
        }

        void wakeUp() {
            given.signal();
        }

        @Override
        public void run() {
            for (Runnable next = next(); next != null; next = next()) {
                CallbackPool.run(next);
            }
        }

        private @Nullable Runnable next() {
            lock.lock();
            try {
                Runnable next = tasks.poll();
                if (next == null && !closed) {
                    next = awaitTask();
                }
                if (next == null) {
                    threads--;
                }
                return next;
            } finally {
                lock.unlock();
            }
        }

        /** An interrupt that a callback left behind must not end the thread: a task may just have been given. */
        private @Nullable Runnable awaitTask() {
            Thread.interrupted();
            idle.add(this);
            long left = IDLE_NANOS;
            while (task == null && left > 0 && !closed) {
                try {
                    left = given.awaitNanos(left);
                } catch (InterruptedException ex) {
                    log.debug("An idle thread for callbacks was interrupted");
                }
            }
            Runnable next = task;
            task = null;
            if (next == null) {
                idle.remove(this);
            }
            return next;
        }
    }
}
