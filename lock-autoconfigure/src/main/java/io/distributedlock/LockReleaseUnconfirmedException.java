/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * The lock was held, the work under it is done, and Redis has not confirmed the release. The lock is free when its
 * lease ends, or earlier, since the release is retried in the meantime. The caller must not retry the work as if
 * nothing had run: that would run it twice.
 *
 * @since 0.1.0
 */
public class LockReleaseUnconfirmedException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the message; a requested name in it is shown on one line and truncated
     * @param cause the cause, or null
     */
    public LockReleaseUnconfirmedException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
