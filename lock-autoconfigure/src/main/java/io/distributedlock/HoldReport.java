/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of an instance about a lock that one of its callers holds. It contains no secrets.
 *
 * @param lockName the name of the lock
 * @param fencingToken the token of the hold
 * @param label the label of the instance
 * @param caller the thread that acquired it, or a description of an asynchronous caller
 * @param method the annotated method, null if application code has acquired it
 * @param heldFor the time since the grant, by the clock of that instance
 * @param waits the waits of the caller's work that have to end before its hold: waits that could re-enter the lock that
 *     it holds
 * @param waiters the number of callers of that instance that wait for the lock
 * @param traceId the trace of the caller at its request, null if unknown
 * @since 0.1.0
 */
public record HoldReport(
        String lockName,
        long fencingToken,
        String label,
        String caller,
        @Nullable String method,
        Duration heldFor,
        List<Wait> waits,
        int waiters,
        @Nullable String traceId) {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public HoldReport {
        waits = List.copyOf(waits);
    }

    /**
     * A hold without waiters in its instance, of a caller without a known trace.
     *
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param label the label of the instance
     * @param caller the thread that acquired it, or a description of an asynchronous caller
     * @param method the annotated method, null if application code has acquired it
     * @param heldFor the time since the grant
     * @param waits the waits of the caller's work
     */
    public HoldReport(
            String lockName,
            long fencingToken,
            String label,
            String caller,
            @Nullable String method,
            Duration heldFor,
            List<Wait> waits) {
        this(lockName, fencingToken, label, caller, method, heldFor, waits, 0, null);
    }

    /**
     * The same report with other waits.
     *
     * @param others the waits
     * @return the new report
     */
    public HoldReport with(List<Wait> others) {
        return new HoldReport(lockName, fencingToken, label, caller, method, heldFor, others, waiters, traceId);
    }

    /**
     * A wait of the holder.
     *
     * @param lockName the name of the lock that it waits for
     * @param id distinguishes it from every other wait of that instance
     */
    public record Wait(String lockName, String id) {}
}
