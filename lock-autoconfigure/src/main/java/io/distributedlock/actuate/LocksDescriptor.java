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
 * The answer of the endpoint about this instance. Times of day are those of this instance and only for display.
 *
 * @param instance who answers
 * @param held what this instance holds
 * @param waiting who waits in this instance
 */
record LocksDescriptor(Instance instance, List<Held> held, List<Waiting> waiting) {

    /**
     * This instance.
     *
     * @param id the public id under which it holds its locks
     * @param label what operators call it
     * @param connected whether it can send commands to Redis
     * @param subscribed whether it hears messages of other instances
     */
    record Instance(String id, String label, boolean connected, boolean subscribed) {}

    /**
     * A hold.
     *
     * @param method the annotated method that acquired it, null if it was acquired by {@code LockOperations}
     * @param traceId the trace of its caller, null without tracing
     * @param lastRenewal when its lease was last renewed, null if it was not yet
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
     * @param until when it gives up, null for never
     * @param holder the public id of the instance that holds the lock, or its explicit owner; null if that is not known
     * @param method the annotated method, null if it waits by {@code LockOperations}
     * @param traceId the trace of the caller, null without tracing
     * @param holderLabel what operators call the holder's instance; null if that is not known
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
