/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.LockMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the endpoint about all instances. Times of day are those of the instance that answers and only for
 * display.
 *
 * @param instance who answers
 * @param instances all instances, also those that have not answered
 * @param complete whether Redis has said which instances there are; if not, there may be others
 * @param held what they hold, by name
 * @param waiting who waits, by name: of each lock and instance the caller that has waited for the longest time
 * @param next the value of {@code after} for the next page, null if this is the last one
 */
record FleetDescriptor(
        LocksDescriptor.Instance instance,
        List<InstanceState> instances,
        boolean complete,
        List<Held> held,
        List<Waiting> waiting,
        @Nullable String next) {

    /**
     * An instance.
     *
     * @param id its public id
     * @param label what operators call it; null if it has never answered
     * @param answered whether it has answered within half a second; if not, nothing else of it is known
     * @param connected whether it can send commands to Redis
     * @param subscribed whether it hears messages of other instances
     * @param held how many locks it holds
     * @param waiting how many of its callers wait
     */
    record InstanceState(
            String id,
            @Nullable String label,
            boolean answered,
            boolean connected,
            boolean subscribed,
            int held,
            int waiting) {}

    /** A hold. The fields are those of {@link LocksDescriptor.Held}, and whose it is. */
    record Held(
            String name,
            String instance,
            @Nullable String label,
            long fencingToken,
            Instant since,
            Duration remainingLease,
            String caller,
            @Nullable String method,
            int reentries,
            int waiters,
            @Nullable String traceId,
            @Nullable Instant lastRenewal,
            LockMode mode) {}

    /**
     * Callers that wait. The fields are those of {@link LocksDescriptor.Waiting}, of the caller that has waited for the
     * longest time.
     *
     * @param callers how many callers of that instance wait for the lock
     */
    record Waiting(
            String name,
            String instance,
            @Nullable String label,
            int callers,
            String caller,
            Instant since,
            @Nullable Instant until,
            @Nullable String holder,
            @Nullable String method,
            @Nullable String traceId,
            @Nullable String holderLabel) {}
}
