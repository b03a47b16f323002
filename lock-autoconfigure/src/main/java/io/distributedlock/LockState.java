/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock in Redis at one moment. It contains no secrets.
 *
 * @param name the lock name
 * @param owner the explicit owner, or else the public id of the instance that holds the lock; if readers hold it
 *     ({@link LockMode#SHARED}), those of their instances, each once, separated by a comma and a space. An explicit
 *     owner may have any text, so use {@link #instances()} for iteration. One whose text takes more than 512 bytes in
 *     Redis is shown as recorded there: its beginning, and a hash that begins with {@code %#}
 * @param fencingToken the last token in Redis; a local hand-over may have raised it since. After an extension to a
 *     shorter lease without a reply, other instances may see a higher token than that of the hold
 * @param remainingLease how long Redis keeps the lock without a renewal; {@link LockRequest#MAX_LEASE} if another
 *     client has removed the expiry: then it stays until the next renewal or request sets one
 * @param waitingInstances the number of places in the line in Redis: one for each instance, however many of its callers
 *     wait, and in addition one for each waiting call of an explicit owner and each waiting reader, of which at most
 *     four of an instance stand in line
 * @param retained whether no caller holds the lock, and this instance only keeps its lease for the next caller
 *     ({@code distributed-lock.retention}). A lease that another instance retains is shown as held
 * @param explicitOwner whether {@code owner} is an owner that the application has named
 * @param instances the public ids of the instances in which the lock is held, each once
 * @param label the labels of these instances, separated by a comma and a space, with the id of an instance whose label
 *     is unknown; null if no label is known
 * @since 0.1.0
 */
public record LockState(
        String name,
        String owner,
        long fencingToken,
        Duration remainingLease,
        int waitingInstances,
        boolean retained,
        boolean explicitOwner,
        List<String> instances,
        @Nullable String label) {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public LockState {
        instances = List.copyOf(instances);
    }

    /**
     * A lock that one instance holds for a caller without an explicit owner, without a known label.
     *
     * @param name the lock name
     * @param owner the public id of the instance
     * @param fencingToken the last token in Redis
     * @param remainingLease how long Redis keeps the lock without a renewal
     * @param waitingInstances the number of places in the line in Redis
     */
    public LockState(String name, String owner, long fencingToken, Duration remainingLease, int waitingInstances) {
        this(name, owner, fencingToken, remainingLease, waitingInstances, false, false, List.of(owner), null);
    }

    /**
     * {@return whether {@link #owner()} is the public id of an instance, and not an explicit owner or several readers}
     */
    public boolean ownerIsInstance() {
        return !explicitOwner && instances.equals(List.of(owner));
    }

    /** {@return the same state with {@link #retained()}} */
    public LockState asRetained() {
        return new LockState(
                name, owner, fencingToken, remainingLease, waitingInstances, true, explicitOwner, instances, label);
    }

    /**
     * The same state with another {@link #label()}.
     *
     * @param known the label
     * @return the new state
     */
    public LockState withLabel(String known) {
        return new LockState(
                name, owner, fencingToken, remainingLease, waitingInstances, retained, explicitOwner, instances, known);
    }
}
