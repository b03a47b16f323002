/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * The caller and others wait for each other in a ring, and its wait was ended so that the others can go on. Thrown only
 * with {@code distributed-lock.deadlock.resolve=true}. What the caller holds already has to be given back before it
 * tries again.
 */
public class LockDeadlockException extends LockNotAcquiredException {

    private static final long serialVersionUID = 1L;

    /** @param message names the locks of the ring and their holders */
    public LockDeadlockException(String lockName, String message, Duration waited) {
        super(lockName, message, waited);
    }
}
