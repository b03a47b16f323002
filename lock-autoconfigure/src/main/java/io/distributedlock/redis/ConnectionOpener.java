/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LibraryThreads;
import io.distributedlock.logging.SafeLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** A thread that tries to connect until it has succeeded, so that an application starts while Redis is down. */
final class ConnectionOpener implements AutoCloseable {

    private static final Log log = SafeLog.of(ConnectionOpener.class);

    private static final long RETRY_MILLIS = 500;

    private final LockClientFactory source;

    private final Connecting connecting;

    private final CountDownLatch firstTry = new CountDownLatch(1);

    private final CountDownLatch closed = new CountDownLatch(1);

    private final Thread thread = LibraryThreads.create("distributed-lock-connect", this::run);

    /** One attempt. */
    @FunctionalInterface
    interface Connecting {

        /** Opens the connections, or fails. It may block. */
        void connect() throws InterruptedException;
    }

    /** @param source records failures, for messages */
    ConnectionOpener(LockClientFactory source, Connecting connecting) {
        this.source = source;
        this.connecting = connecting;
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
            boolean logged = false;
            while (!tryConnect()) {
                if (!logged && !isClosed()) {
                    logTrouble(source.lastFailure());
                    logged = true;
                }
                firstTry.countDown();
                if (closed.await(ReconnectDelay.spread(RETRY_MILLIS), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            if (logged) {
                log.info("Connected to " + source.redis() + "; locks are available");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            firstTry.countDown();
        }
    }

    /** After an error, the attempt is repeated too: the cause may be a lack of memory. */
    private boolean tryConnect() throws InterruptedException {
        try {
            connecting.connect();
            return true;
        } catch (RuntimeException | Error ex) {
            source.failed(ex);
            return false;
        }
    }

    private void logTrouble(@Nullable Throwable trouble) {
        if (trouble instanceof Error) {
            log.error("Locks are unavailable: " + source.whyNotConnected(), trouble);
        } else {
            log.warn("Redis is not reachable yet; locks are unavailable until it is: " + source.whyNotConnected());
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
