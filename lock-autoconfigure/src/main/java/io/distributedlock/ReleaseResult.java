/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/** What became of {@link LockOperations#release(String, String)}. */
public enum ReleaseResult {

    /** The owner's last hold was given back; the lock is free, or with the next waiter. */
    RELEASED,

    /** One hold was given back; the owner has more. */
    STILL_HELD,

    /** Nobody holds this lock. */
    NOT_HELD,

    /** Another caller holds this lock; nothing was changed. */
    NOT_YOURS
}
