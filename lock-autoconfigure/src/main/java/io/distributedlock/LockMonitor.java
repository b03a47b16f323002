/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Optional;

/**
 * Shows operators what an instance does with locks. Implementations are safe for use by any number of threads, and
 * neither stop the locks nor ask Redis.
 */
public interface LockMonitor {

    /** What this instance holds and waits for at this moment. */
    LockActivity activity();

    /**
     * What an instance says of a lock that one of its callers holds. Another instance is asked by a message, and its
     * answer is waited for half a second at most.
     *
     * @param instance its public id
     * @return empty if the instance does not hold the lock, does not answer, or cannot be asked
     */
    default Optional<HoldReport> holdOf(String instance, String lockName) {
        return Optional.empty();
    }

    /**
     * Looks once for callers that wait for each other, tells of each ring that is new, and does not return before that.
     *
     * @param after how long a wait lasts that is looked at
     * @param resolve whether one wait of a ring is ended
     */
    default void searchDeadlocks(Duration after, boolean resolve) {}
}
