/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it waited for the lock, which it does not get, or for the reply of Redis to another
 * operation, such as {@link LockHandle#extend}, which may have been executed. Its interrupt flag is set.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the message; a requested name in it is shown on one line and truncated
     * @param cause the cause, or null
     */
    public LockInterruptedException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
