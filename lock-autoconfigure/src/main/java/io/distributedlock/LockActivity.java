/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one instance holds and waits for at one moment. Other instances are not asked. Each lock is looked at for
 * itself, while the others go on, so the parts may be some microseconds apart. It contains nothing that is secret.
 *
 * @param instance the public id of this instance, which {@link LockState#owner()} shows for its holds
 * @param connected whether the connection for commands stands
 * @param subscribed whether messages of other instances arrive; without them, a waiting instance asks once a second
 * @param held the holds of this instance, in no particular order
 * @param waiting the callers that wait in this instance, those of one lock in the order of their arrival
 */
public record LockActivity(
        String instance, boolean connected, boolean subscribed, List<Held> held, List<Waiting> waiting) {

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
     * @param remainingLease how long the hold lasts if the lease is not renewed any more
     * @param caller the thread that acquired it, or what stands for an asynchronous caller
     * @param reentries how often the holder has entered again and not left yet; 0 for a plain hold
     * @param waiters how many callers of this instance wait behind it
     * @param origin what the request said of itself
     * @param traceId the trace that the caller was in at its request, null if that is not known
     * @param sinceRenewal the time since its lease was last renewed, from when that was sent; null if it was not yet
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

        /** A hold that is not shared, and whose lease was not renewed yet. */
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
     * @param caller the waiting thread, or what stands for an asynchronous caller
     * @param waitedFor the time since its call
     * @param remainingWait the time until it gives up, null if it waits without limit
     * @param holder the instance that holds the lock, if it is this one; otherwise null
     * @param origin what the request said of itself
     * @param traceId the trace that the caller is in, null if that is not known
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
