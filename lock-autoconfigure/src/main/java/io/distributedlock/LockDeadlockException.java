/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The caller is part of a deadlock, and its wait was ended so that the other callers can continue. Thrown only with
 * {@code distributed-lock.deadlock.resolve=true}. The caller has to release the locks that it holds before it retries.
 *
 * @since 0.1.0
 */
public class LockDeadlockException extends LockNotAcquiredException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message names the locks of the cycle and their holders
     * @param waited how long the caller waited
     */
    public LockDeadlockException(String lockName, String message, Duration waited) {
        super(lockName, message, waited);
    }
}
