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
 * @param waiting the instances that wait, as far as this one knows them: at most itself
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
     * @param label what operators call the instance; null if it is another than this
     * @param caller the thread; null if another instance holds it
     * @param since the time of the grant; null if another instance holds it
     * @param waitingFor other locks that the same caller waits for; empty if another instance holds it
     */
    record Holder(
            String instance,
            @Nullable String label,
            @Nullable String caller,
            @Nullable Instant since,
            List<String> waitingFor) {}

    /** An instance that waits. */
    record Waiter(String instance, String label) {}
}
