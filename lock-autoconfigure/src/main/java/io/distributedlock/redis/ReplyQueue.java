/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LibraryThreads;
import io.distributedlock.logging.SafeLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;

/**
 * Replies to the requests of other instances on a thread of its own, which exists while there are any. It sends at most
 * a hundred replies a second, so that no client can keep an instance busy; other requests are dropped.
 */
final class ReplyQueue implements AutoCloseable {

    private static final Log log = SafeLog.of(ReplyQueue.class);

    private static final int EACH_SECOND = 100;

    private final PerSecondLimiter limit = new PerSecondLimiter(EACH_SECOND);

    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(EACH_SECOND),
            task -> LibraryThreads.create("distributed-lock-replies", task));

    ReplyQueue() {
        thread.allowCoreThreadTimeOut(true);
    }

    /** Called on the network's thread. */
    void add(Runnable reply) {
        if (!limit.allows()) {
            return;
        }
        try {
            thread.execute(reply);
        } catch (RejectedExecutionException ex) {
            log.debug("Too many requests of other instances, or this instance has stopped");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
