/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * Which callers may hold a lock at the same time.
 *
 * @since 0.1.0
 */
public enum LockMode {

    /** One holder at a time. The default. */
    EXCLUSIVE,

    /**
     * Any number of holders that are all {@code SHARED}, of any threads and instances; or one {@link #EXCLUSIVE}
     * holder. Requests are served in the order of their arrival: a shared request does not overtake an exclusive one
     * that waits, unless the instance of the exclusive one is dead or has sent no request for three seconds; and all
     * waiting shared requests enter together. A caller that holds the lock in either mode enters again at once if it
     * requests {@code SHARED}. A caller that holds it {@code SHARED} and requests {@code EXCLUSIVE} is refused at once
     * with {@link LockNotAcquiredException}, since it would wait for itself.
     */
    SHARED
}
