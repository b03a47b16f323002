/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an instance says of itself, its holds and its waits. It contains nothing that is secret.
 *
 * @param instance its public id
 * @param label what operators call it; null if it has never said so to this instance
 * @param answered whether it has answered; without an answer, what follows is zero, false or empty
 * @param connected whether it can send commands to Redis
 * @param subscribed whether it hears messages of other instances
 * @param heldTotal how many locks it holds
 * @param waitingTotal how many of its callers wait
 * @param held the holds of this page, by name
 * @param waiting the waits of this page, by name: of each lock the longest
 * @param cutAfter the last name of this page if there are names after it, otherwise null
 * @since 0.1.0
 */
public record InstanceReport(
        String instance,
        @Nullable String label,
        boolean answered,
        boolean connected,
        boolean subscribed,
        int heldTotal,
        int waitingTotal,
        List<LockActivity.Held> held,
        List<Wait> waiting,
        @Nullable String cutAfter) {

    public InstanceReport {
        held = List.copyOf(held);
        waiting = List.copyOf(waiting);
    }

    /** An instance that has not answered. */
    public static InstanceReport silent(String instance, @Nullable String label) {
        return new InstanceReport(instance, label, false, false, false, 0, 0, List.of(), List.of(), null);
    }

    /**
     * The callers of an instance that wait for a lock.
     *
     * @param longest the one of them that has waited for the longest time
     * @param callers how many they are
     */
    public record Wait(LockActivity.Waiting longest, int callers) {}
}
