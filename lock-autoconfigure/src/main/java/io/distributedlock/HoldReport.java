/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an instance says of a lock that one of its callers holds. It contains nothing that is secret.
 *
 * @param fencingToken the token of the hold
 * @param label what operators call the instance
 * @param caller the thread that acquired it, or what stands for an asynchronous caller
 * @param method the annotated method, null if the application has acquired it by itself
 * @param waits what the work of the caller waits for that has to end before its hold: waits that could enter again what
 *     it holds
 * @param waiters how many callers of that instance wait behind it
 */
public record HoldReport(
        String lockName,
        long fencingToken,
        String label,
        String caller,
        @Nullable String method,
        Duration heldFor,
        List<Wait> waits,
        int waiters) {

    public HoldReport {
        waits = List.copyOf(waits);
    }

    /** A hold that no other caller of its instance waits for. */
    public HoldReport(
            String lockName,
            long fencingToken,
            String label,
            String caller,
            @Nullable String method,
            Duration heldFor,
            List<Wait> waits) {
        this(lockName, fencingToken, label, caller, method, heldFor, waits, 0);
    }

    /** The same with these waits. */
    public HoldReport with(List<Wait> others) {
        return new HoldReport(lockName, fencingToken, label, caller, method, heldFor, others, waiters);
    }

    /**
     * A wait of the holder.
     *
     * @param id tells it from every other wait of that instance
     */
    public record Wait(String lockName, String id) {}
}
