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
 * The answer of the endpoint about one lock, as Redis and this instance see it.
 *
 * @param held whether an instance holds it at this moment
 * @param fencingToken the last token that is known, null if nobody holds it
 * @param remainingLease how long Redis keeps it if it is not renewed, null if nobody holds it
 * @param holder who holds it, null if nobody does
 * @param waiting the instances that wait: first those in line in Redis, in its order, at most 100 of them; then those
 *     whose callers wait for a hold of their own instance
 * @param waitingInstances how many instances wait in Redis
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
     * Who holds the lock.
     *
     * @param instance the public id of an instance, or an explicit owner
     * @param label what operators call the instance; null if it has never answered
     * @param caller the thread; null if the instance does not answer
     * @param since the time of the grant; null if the instance does not answer
     * @param waitingFor other locks that the same caller waits for; empty if the instance does not answer
     * @param method the annotated method; null if the instance does not answer, or the application has acquired it
     * @param waiters how many callers of the holder's instance wait behind it; zero if the instance does not answer
     * @param answered whether the instance of the holder has said this. Another instance has half a second for it; an
     *     explicit owner is no instance
     */
    record Holder(
            String instance,
            @Nullable String label,
            @Nullable String caller,
            @Nullable Instant since,
            List<String> waitingFor,
            @Nullable String method,
            int waiters,
            boolean answered) {}

    /**
     * An instance that waits.
     *
     * @param label what operators call it; null if it does not answer
     */
    record Waiter(String instance, @Nullable String label) {}
}
