/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The lock is held by another caller, and the wait is over; or the caller itself holds it in a way that excludes this
 * request, which is then refused at once. The message names the holder's instance, its caller and the age of the hold,
 * if they are known; its format may change.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the message; a requested name in it is shown on one line and truncated
     * @param waited how long the caller waited
     */
    public LockNotAcquiredException(String lockName, String message, Duration waited) {
        super(lockName, message, null);
        this.waited = waited;
    }

    /** {@return how long the caller waited; close to zero for a single try and for a refused re-entry} */
    public Duration waited() {
        return waited;
    }
}
