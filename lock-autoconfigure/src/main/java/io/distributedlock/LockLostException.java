/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The hold ended before its holder released it: the lease ended, or the lock was removed or revoked. Another caller may
 * have run at the same time since.
 *
 * @since 0.1.0
 */
public class LockLostException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    private final Duration heldFor;

    /**
     * Creates it for a lock.
     *
     * @param lockName the requested name
     * @param message the text, which has the name as requested
     * @param heldFor the time from the grant until the loss was noticed
     */
    public LockLostException(String lockName, String message, Duration heldFor) {
        super(lockName, message, null);
        this.heldFor = heldFor;
    }

    /** {@return the time from the grant until the loss was noticed} */
    public Duration heldFor() {
        return heldFor;
    }
}
