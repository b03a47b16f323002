/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be asked, answered with an error, or its answer stayed unknown, or the instance could not take one
 * more caller. Nothing was run under the lock, so the caller may try again later. It does not say whether the lock is
 * held; the caller does not hold it.
 */
public class LockUnavailableException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
