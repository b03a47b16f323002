/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * The result of {@link LockOperations#release(String, String)}.
 *
 * @since 0.1.0
 */
public enum ReleaseResult {

    /** The last hold of the owner was released; the lock is free, or has been handed to the next waiter. */
    RELEASED,

    /** One hold was released; the owner has more. */
    STILL_HELD,

    /** The lock is free. */
    NOT_HELD,

    /** Another owner holds the lock; nothing was changed. */
    NOT_YOURS
}
