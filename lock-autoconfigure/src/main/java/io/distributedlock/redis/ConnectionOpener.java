/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A thread that tries to connect until it has succeeded, so that an application starts while Redis is down. */
final class ConnectionOpener implements AutoCloseable {

    private static final Log log = LogFactory.getLog(ConnectionOpener.class);

    private static final long RETRY_MILLIS = 500;

    private final Attempt attempt;

    private final CountDownLatch firstTry = new CountDownLatch(1);

    private final CountDownLatch closed = new CountDownLatch(1);

    private final Thread thread = new Thread(this::run, "distributed-lock-connect");

    /** One attempt. */
    interface Attempt {

        /** Connects, and may block. Returns whether the connections are open. */
        boolean succeeds();

        /** The target of the connection, and the reason for its failure, for messages. */
        String explain();

        /** Why the latest attempt has failed. */
        @Nullable
        Throwable lastFailure();
    }

    ConnectionOpener(Attempt attempt) {
        this.attempt = attempt;
        thread.setDaemon(true);
    }

    /** Begins, and waits for the outcome of the first attempt for that time at most. */
    void start(Duration patience) {
        thread.start();
        try {
            boolean tried = firstTry.await(patience.toMillis(), TimeUnit.MILLISECONDS);
            log.debug(tried ? "First try to connect has ended" : "First try to connect takes long");
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            boolean told = false;
            while (!attempt.succeeds()) {
                if (!told) {
                    tellTrouble(attempt.lastFailure());
                    told = true;
                }
                firstTry.countDown();
                if (closed.await(ReconnectDelay.spread(RETRY_MILLIS), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            if (told) {
                log.info("Connected to Redis; locks are available");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            firstTry.countDown();
        }
    }

    private void tellTrouble(@Nullable Throwable trouble) {
        if (trouble instanceof Error) {
            log.error("Locks are unavailable: " + attempt.explain(), trouble);
        } else {
            log.warn("Redis is not reachable yet; locks are unavailable until it is: " + attempt.explain());
        }
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
