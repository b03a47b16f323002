/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The owner of asynchronous work, as a thread is the owner of blocking work. A hold that was acquired with an owner is
 * entered again by requests of the same owner and of those {@linkplain #nested() nested} in it; all others wait.
 * Compared by identity, valid in one JVM only, and kept in Redis nowhere; for an owner in several instances see
 * {@link LockRequest#owner(String)}.
 *
 * <p>Work that may run in parallel needs an owner for each branch, since branches with the same owner do not exclude
 * each other. Immutable and safe for use by several threads.
 */
public final class LockOwner {

    private final @Nullable LockOwner enclosing;

    private final Map<String, Long> inside;

    private LockOwner(@Nullable LockOwner enclosing, Map<String, Long> inside) {
        this.enclosing = enclosing;
        this.inside = inside;
    }

    /** A new owner that holds nothing yet. */
    public static LockOwner create() {
        return new LockOwner(null, Map.of());
    }

    /**
     * A new owner for work that belongs to what the calling thread runs at this moment: it enters the locks of the
     * annotated methods and {@link LockOperations#execute execute} calls that the thread is in.
     */
    public static LockOwner nestedInCurrent() {
        return new LockOwner(LockScope.owner(), Map.of());
    }

    /** A new owner that may enter what this owner holds. This owner may not enter what the new one acquires. */
    public LockOwner nested() {
        return new LockOwner(this, Map.of());
    }

    /**
     * A new owner that may enter what this owner may, and also these holds as long as they last. Of several holds of
     * one name the first counts.
     */
    public LockOwner nestedIn(Collection<? extends LockHandle> holds) {
        Map<String, Long> entered = new HashMap<>();
        for (LockHandle hold : holds) {
            hold.fencingTokens().forEach(entered::putIfAbsent);
        }
        return entered.isEmpty() ? nested() : new LockOwner(new LockOwner(this, Map.copyOf(entered)), Map.of());
    }

    /** The owner of the work around this one, or null if there is none. */
    public @Nullable LockOwner enclosing() {
        return enclosing;
    }

    /** Stands for a hold that a thread is in. */
    static LockOwner inside(@Nullable LockOwner enclosing, LockHandle handle) {
        return new LockOwner(enclosing, handle.fencingTokens());
    }

    /** Whether this owner stands for the hold of that name and token, which a thread is in. */
    public boolean isInside(String lockName, long fencingToken) {
        Long token = inside.get(lockName);
        return token != null && token == fencingToken;
    }
}
