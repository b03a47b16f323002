/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;

/**
 * A lock as Redis sees it at one moment.
 *
 * @param name the lock name
 * @param owner the explicit owner, or else the public id of the instance that holds the lock; if readers hold it
 *     ({@link LockMode#SHARED}), those of their instances, each once, separated by a comma and a space
 * @param fencingToken the last token that Redis knows of; passing the lock on inside an instance may have raised it
 *     since
 * @param remainingLease how long Redis keeps the lock if nobody renews it
 * @param waitingInstances how many instances (not threads) wait for it
 * @param retained whether nobody holds it, and this instance only keeps its lease for the next caller
 *     ({@code distributed-lock.retention}). Of another instance's lease that is not known, and said to be held
 */
public record LockState(
        String name, String owner, long fencingToken, Duration remainingLease, int waitingInstances, boolean retained) {

    /** A lock that is held. */
    public LockState(String name, String owner, long fencingToken, Duration remainingLease, int waitingInstances) {
        this(name, owner, fencingToken, remainingLease, waitingInstances, false);
    }

    /** The same with {@link #retained()}. */
    public LockState asRetained() {
        return new LockState(name, owner, fencingToken, remainingLease, waitingInstances, true);
    }
}
