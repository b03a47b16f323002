/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Base of everything that goes wrong with a lock. Never thrown itself for a misuse: that is an
 * {@link IllegalArgumentException}.
 */
public class DistributedLockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    public DistributedLockException(String lockName, String message, @Nullable Throwable cause) {
        super(LockNames.showIn(message, lockName), cause);
        this.lockName = lockName;
    }

    /** The name that was asked for, as it is; in the message it is shown on one line and cut. */
    public String lockName() {
        return lockName;
    }
}
