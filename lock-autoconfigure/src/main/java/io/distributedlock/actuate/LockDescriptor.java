/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response of the endpoint about one lock, as recorded in Redis and by this instance.
 *
 * @param held whether an instance holds it at this moment
 * @param fencingToken the last known token, null without a holder
 * @param remainingLease how long Redis keeps it without a renewal, null without a holder
 * @param holder the holder, or null
 * @param waiting the instances that wait: first those in line in Redis, in its order, at most 100 of them; then those
 *     whose callers wait for a hold of their own instance
 * @param waitingInstances the number of places in the line in Redis: one for each instance, and one for each waiting
 *     call of an explicit owner and each waiting reader, of which at most four of an instance stand in line
 */
record LockDescriptor(
        String name,
        boolean held,
        @Nullable Long fencingToken,
        @Nullable Duration remainingLease,
        @Nullable Holder holder,
        List<Waiter> waiting,
        int waitingInstances) {

    /**
     * The holder of the lock.
     *
     * @param instance the public id of an instance, or an explicit owner
     * @param label the label of the instance; null if unknown
     * @param caller the thread; null if the instance does not reply, or replies that none of its callers has the lock:
     *     it retains the lock for its next caller, or has released it just now or within {@code minHold}
     * @param since the time of the grant; null if the caller is
     * @param waitingFor other locks that the same caller waits for; empty if there is none
     * @param method the annotated method; null if the caller is, or if application code has acquired the lock
     * @param waiters the number of callers of the holder's instance that wait; zero if the caller is null
     * @param answered whether the holder's instance has replied; with several instances, whether one of them has a
     *     hold, or all that were contacted have replied. Each has half a second for the reply
     * @param traceId the trace of the caller; null if that caller is, or without tracing
     * @param instances the public ids of the instances that have it; the responding instance is described if it has a
     *     hold, and else the first of four that replies that it has one
     */
    record Holder(
            String instance,
            @Nullable String label,
            @Nullable String caller,
            @Nullable Instant since,
            List<String> waitingFor,
            @Nullable String method,
            int waiters,
            boolean answered,
            @Nullable String traceId,
            List<String> instances) {}

    /**
     * An instance that waits.
     *
     * @param label its label; null if it does not reply
     */
    record Waiter(String instance, @Nullable String label) {}
}
