/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.logging.SafeLog;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Threads for one kind of application code. The first free thread takes a task: one that has just ended another task,
 * the idle one that was busy last, or a new one if there are fewer than the limit; otherwise the task waits. Idle
 * threads end after five seconds, and at once when the pool is closed; a closed pool still runs new tasks.
 *
 * <p>Tasks are short and come in bursts, and waking a thread costs more than most of them. So one thread at a time is
 * woken, and wakes the next one when it takes a task and leaves others behind. While tasks wait, a thread is on its way
 * to them, unless the maximum number is busy: so no task waits for the end of another one. A thread that is being
 * started does not count for that while others are idle, since these arrive earlier.
 */
final class CallbackPool implements Executor {

    private static final Log log = SafeLog.of(CallbackPool.class);

    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private enum State {
        STARTING,
        BUSY,
        IDLE,
        /** It was idle, and has not checked for a task yet. */
        WOKEN,
        ENDED
    }

    private final String name;

    private final int limit;

    private final long idleNanos;

    private final Consumer<Thread> starter;

    private volatile Runnable whenNotStarted = () -> {};

    /** No thread is woken under the monitor of this object, since that takes long. */
    @GuardedBy("this")
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @GuardedBy("this")
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();

    @GuardedBy("this")
    private int threads;

    @GuardedBy("this")
    private long started;

    @GuardedBy("this")
    private boolean starting;

    @GuardedBy("this")
    private boolean waking;

    @GuardedBy("this")
    private boolean closed;

    CallbackPool(String name, int limit, long idleNanos, Consumer<Thread> starter) {
        this.starter = starter;
        this.name = name;
        this.limit = limit;
        this.idleNanos = idleNanos;
    }

    /** @param retry sees that {@link #startMissing} is called after a while. Runs under the monitor of the pool */
    void whenNotStarted(Runnable retry) {
        whenNotStarted = retry;
    }

    /** A thread could not be started; a task may wait for it. */
    void startMissing() {
        Worker called;
        synchronized (this) {
            called = tasks.isEmpty() ? null : call();
        }
        wake(called);
    }

    @Override
    public void execute(Runnable task) {
        Worker called;
        synchronized (this) {
            tasks.add(task);
            called = call();
        }
        wake(called);
    }

    /** Ensures that a thread is on its way to a waiting task; returns the one to wake, if any. */
    @GuardedBy("this")
    private @Nullable Worker call() {
        if (waking) {
            return null;
        }
        Worker last = idle.pollLast();
        if (last != null) {
            waking = true;
            last.state = State.WOKEN;
        } else if (!starting && threads < limit) {
            startWorker();
        }
        return last;
    }

    private static void wake(@Nullable Worker called) {
        if (called != null) {
            LockSupport.unpark(called.thread);
        }
    }

    /** Without memory for another thread, the task waits for one of the others, or for the next try. */
    @GuardedBy("this")
    private void startWorker() {
        try {
            starter.accept(new Worker(name + "-" + ++started).thread);
            threads++;
            starting = true;
        } catch (Throwable ex) {
            whenNotStarted.run();
            log.error("A thread for callbacks of distributed locks could not be started", ex);
        }
    }

    /** Submitted tasks still run. */
    void close() {
        Worker[] ending;
        synchronized (this) {
            closed = true;
            ending = idle.toArray(Worker[]::new);
        }
        for (Worker each : ending) {
            wake(each);
        }
    }

    /** A callback that fails, be it with a checked exception, is logged and affects no other. */
    static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable ex) {
            log.warn("A callback of a distributed lock has failed", ex);
        }
    }

    private final class Worker implements Runnable {

        private final Thread thread;

        /** Written under the monitor of the pool. */
        private volatile State state = State.STARTING;

        Worker(String name) {
            thread = LibraryThreads.create(name, this);
        }

        @Override
        public void run() {
            try {
                do {
                    for (Runnable next = take(); next != null; next = take()) {
                        // The task before may have set the flag, for example by Thread.currentThread().interrupt().
                        Thread.interrupted();
                        CallbackPool.run(next);
                    }
                } while (awaitCall());
            } finally {
                giveUpPlace();
            }
        }

        /** An error has ended this thread, as memory has run out perhaps: another one may take its place. */
        private void giveUpPlace() {
            Worker called = null;
            synchronized (CallbackPool.this) {
                if (state != State.ENDED) {
                    idle.remove(this);
                    arrive();
                    end();
                    called = tasks.isEmpty() ? null : call();
                }
            }
            wake(called);
        }

        /** The next task; without one, this thread is idle from now on, or has to end. */
        private @Nullable Runnable take() {
            Runnable next;
            Worker called = null;
            synchronized (CallbackPool.this) {
                arrive();
                next = tasks.poll();
                if (next == null) {
                    rest();
                } else if (!tasks.isEmpty()) {
                    called = call();
                }
            }
            wake(called);
            return next;
        }

        @GuardedBy("CallbackPool.this")
        private void arrive() {
            waking &= state != State.WOKEN;
            starting &= state != State.STARTING;
            state = State.BUSY;
        }

        @GuardedBy("CallbackPool.this")
        private void rest() {
            if (closed) {
                end();
            } else {
                state = State.IDLE;
                idle.add(this);
            }
        }

        @GuardedBy("CallbackPool.this")
        private void end() {
            state = State.ENDED;
            threads--;
        }

        /** @return whether there may be a task; otherwise this thread has to end */
        private boolean awaitCall() {
            long end = NanoClock.SYSTEM.nanos() + idleNanos;
            while (state == State.IDLE) {
                // An interrupt that a callback left behind would prevent this thread from parking.
                Thread.interrupted();
                long left = end - NanoClock.SYSTEM.nanos();
                if (left > 0 && !closedWhileIdle()) {
                    LockSupport.parkNanos(CallbackPool.this, left);
                } else {
                    endUnlessCalled();
                }
            }
            return state != State.ENDED;
        }

        private boolean closedWhileIdle() {
            synchronized (CallbackPool.this) {
                return closed;
            }
        }

        private void endUnlessCalled() {
            synchronized (CallbackPool.this) {
                if (idle.remove(this)) {
                    end();
                }
            }
        }
    }
}
