/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The hold ended although its holder was not done: the lease ran out, or the lock was removed or taken. Another caller
 * else may have run at the same time since.
 */
public class LockLostException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    private final Duration heldFor;

    public LockLostException(String lockName, String message, Duration heldFor) {
        super(lockName, message, null);
        this.heldFor = heldFor;
    }

    /** From the grant to the moment the loss was noticed. */
    public Duration heldFor() {
        return heldFor;
    }
}
