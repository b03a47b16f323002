/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The hold ended before its holder released it: its lease or its maximum time ended, it was revoked, it was gone from
 * Redis, or the instance stopped. Another caller may have run at the same time since.
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
     * @param message the message; a requested name in it is shown on one line and truncated
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
