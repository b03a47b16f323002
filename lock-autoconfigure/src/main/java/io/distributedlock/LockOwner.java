/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The owner of asynchronous work, as a thread is the owner of blocking work. Requests of the same owner and of those
 * {@linkplain #nested() nested} in it re-enter a hold that was acquired with the owner; all others wait. Compared by
 * identity, valid in one JVM only, and not stored in Redis; for an owner in several instances see
 * {@link LockRequest#owner(String)}.
 *
 * <p>Work that may run in parallel needs an owner for each branch, since branches with the same owner do not exclude
 * each other once one of them holds the lock. A request that was sent before that waits for the release. Immutable and
 * safe for use by several threads.
 *
 * @since 0.1.0
 */
public final class LockOwner {

    /**
     * A handle for several holds, which may be of one name in several {@link LockOperations}. For the library itself.
     *
     * @since 0.1.0
     */
    public interface SeveralHolds {

        /** {@return the name and the token of each hold} */
        Set<Map.Entry<String, Long>> holds();
    }

    private final @Nullable LockOwner enclosing;

    /** The names and tokens of the holds that it represents. */
    private final Set<Map.Entry<String, Long>> inside;

    private LockOwner(@Nullable LockOwner enclosing, Set<Map.Entry<String, Long>> inside) {
        this.enclosing = enclosing;
        this.inside = inside;
    }

    /** {@return a new owner that holds nothing yet, and may enter no lock of another owner} */
    public static LockOwner create() {
        return new LockOwner(null, Set.of());
    }

    /**
     * A new owner for work that belongs to the present work of the calling thread: it enters the locks of the annotated
     * methods and {@link LockOperations#execute execute} calls that the thread runs.
     *
     * @return the new owner
     */
    public static LockOwner nestedInCurrent() {
        return new LockOwner(LockScope.owner(), Set.of());
    }

    /**
     * A new owner that may enter the locks that this owner holds. This owner may not enter locks that the new one
     * acquires.
     *
     * @return the new owner
     */
    public LockOwner nested() {
        return new LockOwner(this, Set.of());
    }

    /**
     * A new owner that may enter the same locks as this owner, and also these holds as long as they last.
     *
     * @param holds the holds; none for {@link #nested()}
     * @return the new owner
     */
    public LockOwner nestedIn(Collection<? extends LockHandle> holds) {
        Set<Map.Entry<String, Long>> entered = new HashSet<>();
        holds.forEach(hold -> entered.addAll(holdsOf(hold)));
        return entered.isEmpty() ? nested() : new LockOwner(new LockOwner(this, Set.copyOf(entered)), Set.of());
    }

    /** {@return the owner of the work around this one, or null if there is none} */
    public @Nullable LockOwner enclosing() {
        return enclosing;
    }

    /** Represents a hold of a thread. */
    static LockOwner inside(@Nullable LockOwner enclosing, LockHandle handle) {
        return new LockOwner(enclosing, holdsOf(handle));
    }

    /**
     * The holds of a handle. Those of one name in several {@link LockOperations} are separate here, other than in
     * {@link LockHandle#fencingTokens()}. For the library itself.
     *
     * @param handle of one or several holds
     * @return the name and the token of each hold
     */
    public static Set<Map.Entry<String, Long>> holdsOf(LockHandle handle) {
        return handle instanceof SeveralHolds several
                ? several.holds()
                : handle.fencingTokens().entrySet();
    }

    /**
     * Whether this owner represents the hold of a thread with that name and token. For the library itself.
     *
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @return false for an owner of asynchronous work
     */
    public boolean isInside(String lockName, long fencingToken) {
        return !inside.isEmpty() && inside.contains(Map.entry(lockName, fencingToken));
    }
}
