/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/** Who may hold a lock at the same time. */
public enum LockMode {

    /** One holder at a time. The default. */
    EXCLUSIVE,

    /**
     * Any number of holders that are all {@code SHARED}, of any threads and instances; or one {@link #EXCLUSIVE}
     * holder. Requests have their turn in the order in which they come: one that would share does not overtake an
     * exclusive one that waits, and all that wait to share enter together. A caller that holds the lock in either mode
     * enters again at once if it asks for {@code SHARED}. One that holds it {@code SHARED} and asks for
     * {@code EXCLUSIVE} is refused at once with {@link LockNotAcquiredException}, since it would wait for itself.
     */
    SHARED
}
