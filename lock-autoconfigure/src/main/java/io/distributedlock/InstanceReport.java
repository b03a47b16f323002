/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of an instance about itself, its holds and its waits. It contains no secrets.
 *
 * @param instance its public id
 * @param label its label; null if this instance does not know it
 * @param replied whether it has replied; without a reply, the following components are zero, false or empty
 * @param connected whether it can send commands to Redis
 * @param subscribed whether it receives messages of other instances
 * @param heldTotal the number of its holds
 * @param waitingTotal the number of its waiting callers
 * @param held the holds of this page, by name
 * @param waiting the waits of this page, by name: the longest one of each lock
 * @param cutAfter the last name of this page if there are names after it, otherwise null
 * @since 0.1.0
 */
public record InstanceReport(
        String instance,
        @Nullable String label,
        boolean replied,
        boolean connected,
        boolean subscribed,
        int heldTotal,
        int waitingTotal,
        List<LockActivity.Held> held,
        List<Wait> waiting,
        @Nullable String cutAfter) {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public InstanceReport {
        held = List.copyOf(held);
        waiting = List.copyOf(waiting);
    }

    /**
     * The report about an instance that has not replied.
     *
     * @param instance its public id
     * @param label its label, null if unknown
     * @return a report without holds and waits
     */
    public static InstanceReport silent(String instance, @Nullable String label) {
        return new InstanceReport(instance, label, false, false, false, 0, 0, List.of(), List.of(), null);
    }

    /**
     * The callers of an instance that wait for a lock.
     *
     * @param longest the caller that has waited for the longest time
     * @param callers the number of these callers
     */
    public record Wait(LockActivity.Waiting longest, int callers) {}
}
