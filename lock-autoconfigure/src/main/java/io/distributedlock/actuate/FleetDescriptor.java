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
 * The response of the endpoint about all instances. Times are by the wall clock of the responding instance and only for
 * display.
 *
 * @param instance the responding instance
 * @param instances all instances, including those without a reply
 * @param complete whether Redis has listed all instances; if not, there may be others
 * @param held their holds, sorted by name
 * @param waiting their waits, sorted by name: for each lock and instance, the caller that has waited for the longest
 *     time
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
     * @param label its label; null if it has never replied
     * @param answered whether it has replied within half a second; if not, nothing else is known about it
     * @param connected whether it can send commands to Redis
     * @param subscribed whether it receives messages of other instances
     * @param held the number of locks that it holds
     * @param waiting the number of its callers that wait
     */
    record InstanceState(
            String id,
            @Nullable String label,
            boolean answered,
            boolean connected,
            boolean subscribed,
            int held,
            int waiting) {}

    /** A hold. The fields are those of {@link LocksDescriptor.Held}, and its instance. */
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
     * @param callers the number of callers of that instance that wait for the lock
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
