/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions of locks. Invalid arguments cause an {@link IllegalArgumentException} instead.
 *
 * @since 0.1.0
 */
public class DistributedLockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the message; a requested name in it is shown on one line and truncated
     * @param cause the cause, or null
     */
    public DistributedLockException(String lockName, String message, @Nullable Throwable cause) {
        super(LockNames.showIn(message, lockName), cause);
        this.lockName = lockName;
    }

    /** {@return the requested name, unchanged; the message shows it on one line and truncated} */
    public String lockName() {
        return lockName;
    }
}
