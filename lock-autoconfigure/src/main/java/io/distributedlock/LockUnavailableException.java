/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be reached, returned an error or did not reply in time, the limit of waiting callers of the instance
 * was reached, the instance stops, or the lock, or one of several, was lost before the acquisition was complete.
 *
 * <p>If an acquisition throws it, nothing was run under the lock, and this caller does not hold it and may retry later;
 * whether another caller holds it is unknown. If another operation throws it, that operation may have been executed;
 * after {@link LockHandle#extend}, the hold continues.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the message; a requested name in it is shown on one line and truncated
     * @param cause the cause, or null
     */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
