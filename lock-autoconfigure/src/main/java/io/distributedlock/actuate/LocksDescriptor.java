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
 * The response of the endpoint about this instance. Times are by the wall clock of this instance and only for display.
 *
 * @param instance the responding instance
 * @param held one page of the holds of this instance, sorted by name
 * @param waiting the waiting callers of this instance, of the same page; those of one lock in the order of their
 *     arrival
 * @param heldTotal the number of holds of this instance
 * @param waitingTotal the number of its callers that wait
 * @param next the value of {@code after} for the next page, null if this is the last one
 */
record LocksDescriptor(
        Instance instance,
        List<Held> held,
        List<Waiting> waiting,
        int heldTotal,
        int waitingTotal,
        @Nullable String next) {

    /**
     * This instance.
     *
     * @param id the public id under which it holds its locks
     * @param label its label
     * @param connected whether it can send commands to Redis
     * @param subscribed whether it receives messages of other instances
     */
    record Instance(String id, String label, boolean connected, boolean subscribed) {}

    /**
     * A hold.
     *
     * @param method the annotated method that acquired it, null if it was acquired by {@code LockOperations}
     * @param traceId the trace of its caller, null without tracing
     * @param lastRenewal when its lease was last renewed, null before the first renewal
     * @param mode whether other callers may hold the lock as well
     */
    record Held(
            String name,
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
     * A caller that waits.
     *
     * @param until when its wait ends, null without a limit
     * @param holder the public id of the instance that holds the lock, or its explicit owner; null if unknown
     * @param method the annotated method, null if it waits by {@code LockOperations}
     * @param traceId the trace of the caller, null without tracing
     * @param holderLabel the label of the holder's instance; null if unknown
     */
    record Waiting(
            String name,
            String caller,
            Instant since,
            @Nullable Instant until,
            @Nullable String holder,
            @Nullable String method,
            @Nullable String traceId,
            @Nullable String holderLabel) {}
}
