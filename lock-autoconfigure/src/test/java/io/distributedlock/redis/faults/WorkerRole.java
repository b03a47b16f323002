/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

/** What a worker is like. There is one keeper and one patient worker in each JVM. */
enum WorkerRole {
    /** Keeps its locks for long, so that each fault finds a holder. */
    KEEPER,
    /** Waits for as long as it takes, so that a forgotten waiter is noticed. */
    PATIENT,
    /** Tries everything, and never takes long. */
    BUSY;

    static WorkerRole of(int worker) {
        return values()[Math.min(worker, BUSY.ordinal())];
    }
}
