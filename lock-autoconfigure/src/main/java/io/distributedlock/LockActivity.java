/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holds and waits of one instance at one moment, read without a request to other instances. Each lock is read
 * separately, while others change, so the parts may be some microseconds apart. It contains no secrets.
 *
 * @param instance the public id of this instance, which {@link LockState#owner()} shows for its holds
 * @param connected whether the connection for commands is open
 * @param subscribed whether messages of other instances arrive; without them, a waiting instance sends a request once a
 *     second
 * @param held the holds of this instance, in no particular order
 * @param waiting the callers that wait in this instance, those of one lock in the order of their arrival
 * @since 0.1.0
 */
public record LockActivity(
        String instance, boolean connected, boolean subscribed, List<Held> held, List<Waiting> waiting) {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public LockActivity {
        held = List.copyOf(held);
        waiting = List.copyOf(waiting);
    }

    /**
     * A hold of this instance.
     *
     * @param name the lock name
     * @param fencingToken the token of the hold
     * @param heldFor the time since the grant
     * @param remainingLease how long the hold lasts without another renewal
     * @param caller the thread that acquired it, or a description of an asynchronous caller
     * @param reentries the number of re-entries that are not closed yet; 0 for a plain hold
     * @param waiters the number of callers of this instance that wait for the lock
     * @param origin the origin of the request
     * @param traceId the trace of the caller at its request, null if unknown
     * @param sinceRenewal the time since the last renewal was sent; null if there was none yet
     * @param mode whether other callers may hold the lock as well
     */
    public record Held(
            String name,
            long fencingToken,
            Duration heldFor,
            Duration remainingLease,
            String caller,
            int reentries,
            int waiters,
            LockOrigin origin,
            @Nullable String traceId,
            @Nullable Duration sinceRenewal,
            LockMode mode) {

        /**
         * The same hold with another number of waiting callers.
         *
         * @param count the number
         * @return the new description
         */
        public Held withWaiters(int count) {
            return new Held(
                    name,
                    fencingToken,
                    heldFor,
                    remainingLease,
                    caller,
                    reentries,
                    count,
                    origin,
                    traceId,
                    sinceRenewal,
                    mode);
        }

        /**
         * A hold that is not shared, and whose lease was not renewed yet.
         *
         * @param name the lock name
         * @param fencingToken the token of the hold
         * @param heldFor the time since the grant
         * @param remainingLease how long the hold lasts without another renewal
         * @param caller the thread that acquired it, or a description of an asynchronous caller
         * @param reentries the number of re-entries that are not closed yet; 0 for a plain hold
         * @param waiters the number of callers of this instance that wait for the lock
         * @param origin the origin of the request
         * @param traceId the trace of the caller at its request, null if unknown
         */
        public Held(
                String name,
                long fencingToken,
                Duration heldFor,
                Duration remainingLease,
                String caller,
                int reentries,
                int waiters,
                LockOrigin origin,
                @Nullable String traceId) {
            this(
                    name,
                    fencingToken,
                    heldFor,
                    remainingLease,
                    caller,
                    reentries,
                    waiters,
                    origin,
                    traceId,
                    null,
                    LockMode.EXCLUSIVE);
        }
    }

    /**
     * A caller that waits in this instance.
     *
     * @param name the lock name
     * @param caller the waiting thread, or a description of an asynchronous caller
     * @param waitedFor the time since its call
     * @param remainingWait the time until its wait ends, null if it waits without limit
     * @param holder the instance that holds the lock, if it is this one; otherwise null
     * @param origin the origin of the request
     * @param traceId the trace of the caller, null if unknown
     */
    public record Waiting(
            String name,
            String caller,
            Duration waitedFor,
            @Nullable Duration remainingWait,
            @Nullable String holder,
            LockOrigin origin,
            @Nullable String traceId) {}
}
