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
 * Shows operators the holds and waits of instances. Implementations are safe for use by any number of threads, and do
 * not stop the locks. The description of a method mentions the commands or messages that it sends. In a cluster, a
 * message to an instance whose channel is unknown also costs one command to each master.
 *
 * @since 0.1.0
 */
public interface LockMonitor {

    /** {@return the holds and waits of this instance at this moment; sends nothing} */
    LockActivity activity();

    /**
     * Checks whether this instance can acquire locks. Acquires and releases a lock of its own at each server that has
     * locks, and waits for the replies for one command time-out at most. If a check is under way, its result is
     * returned.
     *
     * @return the servers without locks; a default implementation only reports whether there is a connection
     * @since 0.1.0
     */
    default LockAvailability availability() {
        return activity().connected()
                ? LockAvailability.FULL
                : new LockAvailability(List.of(new LockAvailability.Failure("", "not connected", Duration.ZERO)));
    }

    /**
     * The report of an instance about a lock that one of its callers holds. Sends a message if it is another instance,
     * and waits for the reply for half a second at most.
     *
     * @param instance its public id
     * @param lockName the name of the lock
     * @return empty if the instance does not hold the lock, does not reply, or cannot be reached
     */
    default Optional<HoldReport> holdOf(String instance, String lockName) {
        return Optional.empty();
    }

    /**
     * As {@link #holdOf}, and also whether the instance has replied. An instance that holds a lock in Redis may reply
     * that none of its callers has it: it retains the lock for its next caller, or has just released it.
     *
     * @param instance its public id
     * @param lockName the name of the lock
     * @return the reply
     */
    default HoldReply replyOf(String instance, String lockName) {
        Optional<HoldReport> hold = holdOf(instance, lockName);
        return new HoldReply(hold.isPresent(), hold);
    }

    /**
     * The reply of an instance about a lock.
     *
     * @param replied whether the instance has replied in time
     * @param hold the hold of one of its callers; empty if none of them has the lock, and without a reply
     * @since 0.1.0
     */
    record HoldReply(boolean replied, Optional<HoldReport> hold) {

        /** No reply. */
        public static final HoldReply NONE = new HoldReply(false, Optional.empty());
    }

    /**
     * One page of the holds and waits of all instances. Lists the instances by one command (in a cluster, one to each
     * master), and sends a message to each of them. Waits half a second at most for the list, and half a second at most
     * for the replies.
     *
     * @param after only locks whose names come after this one; empty for the first page
     * @param atMost the maximum number of locks of each instance, from 1 to 500
     * @return the report, with this instance first; the default implementation returns an empty, incomplete report
     */
    default FleetReport fleet(String after, int atMost) {
        return new FleetReport(List.of(), false);
    }

    /**
     * The instances that wait for a lock, the first in line first. Sends one command.
     *
     * @param lockName the name of the lock
     * @param atMost the maximum number of them, from 1 to 500
     * @return their public ids; one of them several times if it has several places
     * @throws LockUnavailableException if Redis does not reply
     */
    default List<String> line(String lockName, int atMost) {
        return List.of();
    }

    /**
     * The labels of these instances. Reads the key of each instance whose label is unknown, for a tenth of a second at
     * most, then sends a message to each instance whose label is still unknown, and waits half a second at most for the
     * replies.
     *
     * @param instances the public ids of the instances
     * @return the labels by id, without unknown ones
     */
    default Map<String, String> labels(Collection<String> instances) {
        return Map.of();
    }

    /**
     * Searches once for deadlocks, and reports each new one before it returns. For each lock of a chain whose holder is
     * in another instance, sends a command and messages.
     *
     * @param after the minimum duration of the waits that are followed
     * @param resolve whether one wait of each deadlock is ended
     */
    default void searchDeadlocks(Duration after, boolean resolve) {}
}
