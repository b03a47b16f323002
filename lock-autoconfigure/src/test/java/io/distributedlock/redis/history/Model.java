/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

/** What the faults of a run do to Redis, which decides what may be expected of the locks. */
public enum Model {

    /** Redis keeps what it has confirmed, so no two holds may overlap. */
    NO_LOSS,

    /**
     * Each fault makes Redis forget. Holds may overlap from then until a lease after it, which is counted, and at no
     * other time. Tokens have to grow all the same.
     */
    DATA_LOSS,

    /** Some of the faults do, which are said to lose data: the same holds of these. */
    SOME_LOSS
}
