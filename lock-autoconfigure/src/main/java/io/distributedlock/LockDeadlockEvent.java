/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;

/**
 * Callers wait for each other in a ring. Published once for each ring, by the instance of the caller that has locked
 * last.
 *
 * @param lockName the lock that this caller waits for
 * @param ring the locks in the order of the waits; the caller of each waits for the next one, and that of the last one
 *     for the first
 * @param resolved whether the wait of this caller was ended
 */
public record LockDeadlockEvent(String lockName, List<Link> ring, boolean resolved) implements LockEvent {

    public LockDeadlockEvent {
        ring = List.copyOf(ring);
    }

    /**
     * A lock of the ring and who holds it.
     *
     * @param label the instance of the holder
     * @param caller the thread, or what stands for an asynchronous caller
     */
    public record Link(String lockName, long fencingToken, String label, String caller) {}
}
