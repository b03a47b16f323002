/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Answers the questions of other instances on a thread of its own, which exists while there are any. At most a hundred
 * a second are answered, so that no client can keep an instance busy; the others are dropped.
 */
final class AnswerQueue implements AutoCloseable {

    private static final Log log = LogFactory.getLog(AnswerQueue.class);

    private static final int EACH_SECOND = 100;

    private static final long SECOND = 1_000_000_000;

    private final AtomicInteger answered = new AtomicInteger();

    private volatile long secondBegan = NanoClock.SYSTEM.nanos();

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(EACH_SECOND), task -> {
                Thread made = new Thread(null, task, "distributed-lock-answers", 0, false);
                made.setDaemon(true);
                return made;
            });

    AnswerQueue() {
        thread.allowCoreThreadTimeOut(true);
    }

    /** Called on the network's thread. */
    void add(Runnable answer) {
        if (!mayAnswer()) {
            return;
        }
        try {
            thread.execute(answer);
        } catch (RejectedExecutionException ex) {
            log.debug("Too many questions of other instances, or this one has stopped");
        }
    }

    private boolean mayAnswer() {
        long now = NanoClock.SYSTEM.nanos();
        if (now - secondBegan >= SECOND) {
            secondBegan = now;
            answered.set(0);
        }
        return answered.incrementAndGet() <= EACH_SECOND;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
