/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Looks from time to time, on a thread of its own, for waits and holds of this instance that last too long; see
 * {@code distributed-lock.warn}. Runs between the start and the stop of the application. Its failures change nothing
 * for locks.
 */
public final class SlowLockWatch implements SmartLifecycle {

    private static final Log log = LogFactory.getLog(SlowLockWatch.class);

    private static final long SHORTEST_PAUSE_MILLIS = 50;

    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** Above that of the locks: it starts after them and stops before them. */
    private static final int PHASE = 1025;

    private final SlowLocks slow;

    private final long pauseMillis;

    private final boolean isNeeded;

    private @Nullable ScheduledThreadPoolExecutor executor;

    /**
     * @param locks asked who holds what callers of this instance wait for
     * @param events whom to tell, on the thread of this object
     * @param waiting how long a wait may last, zero for any time
     * @param holding how long a hold may last, zero for any time
     */
    public SlowLockWatch(
            LockMonitor monitor,
            LockOperations locks,
            Consumer<? super LockEvent> events,
            Duration waiting,
            Duration holding) {
        this.slow = new SlowLocks(monitor, name -> holderOf(locks, name), events, waiting, holding);
        this.isNeeded = !waiting.isZero() || !holding.isZero();
        this.pauseMillis = Math.min(pauseFor(waiting), pauseFor(holding));
    }

    private static @Nullable String holderOf(LockOperations locks, String name) {
        try {
            return locks.inspect(name).map(LockState::owner).orElse(null);
        } catch (DistributedLockException ex) {
            return null;
        }
    }

    /** A sixth of the limit, so that a line is not much later than it says. */
    private static long pauseFor(Duration limit) {
        if (limit.isZero() || limit.compareTo(Duration.ofMillis(6 * LONGEST_PAUSE_MILLIS)) >= 0) {
            return LONGEST_PAUSE_MILLIS;
        }
        return Math.max(SHORTEST_PAUSE_MILLIS, limit.toMillis() / 6);
    }

    @Override
    public synchronized void start() {
        if (executor == null && isNeeded) {
            ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(null, task, "distributed-lock-watch", 0, false);
                thread.setDaemon(true);
                return thread;
            });
            started.scheduleWithFixedDelay(this::look, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
            executor = started;
        }
    }

    /** A task that throws would not be repeated. */
    private void look() {
        try {
            slow.look();
        } catch (RuntimeException | Error ex) {
            log.debug("Slow locks could not be looked for", ex);
        }
    }

    @Override
    public synchronized void stop() {
        ScheduledThreadPoolExecutor running = executor;
        executor = null;
        if (running != null) {
            running.shutdownNow();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return executor != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
