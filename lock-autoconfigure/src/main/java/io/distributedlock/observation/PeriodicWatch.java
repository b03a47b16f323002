/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Checks the locks periodically, on a thread of its own, between the start and the stop of the application. Its
 * failures do not affect locks.
 *
 * @since 0.1.0
 */
public class PeriodicWatch implements SmartLifecycle {

    private static final Log log = SafeLog.of(PeriodicWatch.class);

    private static final long SHORTEST_PAUSE_MILLIS = 50;

    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** Above that of the locks: it starts after them and stops before them. */
    private static final int PHASE = 1025;

    private final String thread;

    private final long pauseMillis;

    private final Runnable look;

    @GuardedBy("this")
    private @Nullable ScheduledThreadPoolExecutor executor;

    /**
     * Creates a watch that is not started.
     *
     * @param thread the name of its thread
     * @param look the check, which runs on that thread
     * @param limits the times to check for; a check follows after a sixth of the shortest, at the latest after five
     *     seconds. Zero is no limit, and with no limit there is no thread
     */
    public PeriodicWatch(String thread, Runnable look, Duration... limits) {
        this.thread = thread;
        this.look = look;
        long pause = -1;
        for (Duration limit : limits) {
            if (!limit.isZero()) {
                pause = pause < 0 ? pauseFor(limit) : Math.min(pause, pauseFor(limit));
            }
        }
        this.pauseMillis = pause;
    }

    private static long pauseFor(Duration limit) {
        return limit.compareTo(Duration.ofMillis(6 * LONGEST_PAUSE_MILLIS)) >= 0
                ? LONGEST_PAUSE_MILLIS
                : Math.max(SHORTEST_PAUSE_MILLIS, limit.toMillis() / 6);
    }

    @Override
    public synchronized void start() {
        if (executor == null && pauseMillis > 0) {
            ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, task -> {
                Thread made = new Thread(null, task, thread, 0, false);
                made.setContextClassLoader(PeriodicWatch.class.getClassLoader());
                made.setDaemon(true);
                return made;
            });
            started.scheduleWithFixedDelay(this::lookSafely, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
            executor = started;
        }
    }

    /** A task that throws would not be repeated. */
    private void lookSafely() {
        try {
            look.run();
        } catch (RuntimeException | Error ex) {
            log.debug("The locks could not be checked", ex);
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
