/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
     * What all instances hold and wait for, one page of it. The others are asked by messages; the answers are waited
     * for half a second at most.
     *
     * @param after only locks whose names come after this one; empty for the first page
     * @param atMost how many locks of each instance, from 1 to 500
     * @return at least this instance
     */
    default FleetReport fleet(String after, int atMost) {
        return new FleetReport(List.of(), false);
    }

    /**
     * Which instances wait for a lock, the first in line first. One command.
     *
     * @param atMost how many of them, from 1 to 500
     * @return their public ids; one of them several times if it has several places
     * @throws LockUnavailableException if Redis does not answer
     */
    default List<String> line(String lockName, int atMost) {
        return List.of();
    }

    /**
     * What operators call these instances. Those of which this instance has not heard are asked by messages; the
     * answers are waited for half a second at most.
     *
     * @return by id; without those that are not known
     */
    default Map<String, String> labels(Collection<String> instances) {
        return Map.of();
    }

    /**
     * Looks once for callers that wait for each other, tells of each ring that is new, and does not return before that.
     *
     * @param after how long a wait lasts that is looked at
     * @param resolve whether one wait of a ring is ended
     */
    default void searchDeadlocks(Duration after, boolean resolve) {}
}
