/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;

/**
 * Callers wait for each other in a cycle. Published once for each cycle, by the instance of the caller that acquired
 * its lock last.
 *
 * @param lockName the lock that this caller waits for
 * @param ring the locks in the order of the waits; the caller of each waits for the next one, and that of the last one
 *     for the first
 * @param resolved whether the wait of this caller was ended
 * @since 0.1.0
 */
public record LockDeadlockEvent(String lockName, List<Link> ring, boolean resolved) implements LockEvent {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public LockDeadlockEvent {
        ring = List.copyOf(ring);
    }

    /**
     * A lock of the cycle and its holder.
     *
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param label the instance of the holder
     * @param caller the thread, or a description of an asynchronous caller
     */
    public record Link(String lockName, long fencingToken, String label, String caller) {}
}
