/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be reached, returned an error or did not reply in time, or the limit of waiting callers of the
 * instance was reached. Nothing was run under the lock, so the caller may retry later. Whether another caller holds the
 * lock is unknown; this caller does not hold it.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the text, which has the name as requested
     * @param cause the cause, or null
     */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
