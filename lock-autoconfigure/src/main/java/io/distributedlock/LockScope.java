/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Makes a handle the {@linkplain LockHandle#current() current} one of this thread until it is closed. Scopes nest and
 * are closed in the reverse order by the thread that opened them. Needed only by those who implement
 * {@link LockOperations} or intercept calls themselves.
 */
public final class LockScope implements AutoCloseable {

    private static final ThreadLocal<@Nullable LockScope> INNERMOST = new ThreadLocal<>();

    private final LockHandle handle;

    private final boolean lossMatters;

    private final @Nullable LockScope outer;

    /** Whether this scope or one further out is of asynchronous work, which does not belong to the thread. */
    private final boolean logical;

    private @Nullable LockOwner owner;

    private LockScope(LockHandle handle, boolean lossMatters, @Nullable LockOwner owner, @Nullable LockScope outer) {
        this.handle = handle;
        this.lossMatters = lossMatters;
        this.owner = owner;
        this.outer = outer;
        this.logical = owner != null || (outer != null && outer.logical);
    }

    /** Opens a scope in the calling thread. */
    public static LockScope open(LockHandle handle) {
        return open(handle, true);
    }

    /** Opens a scope in the calling thread; {@link #throwIfLost()} passes over it if it does not matter. */
    public static LockScope open(LockHandle handle, boolean lossMatters) {
        return open(handle, lossMatters, null);
    }

    /**
     * Opens a scope in the calling thread for work that does not belong to the thread but to an owner: blocking calls
     * in it may enter what the owner holds.
     */
    public static LockScope open(LockHandle handle, boolean lossMatters, @Nullable LockOwner owner) {
        LockScope scope = new LockScope(handle, lossMatters, owner, INNERMOST.get());
        INNERMOST.set(scope);
        return scope;
    }

    /** The owner that stands for what the calling thread runs, or null outside of all scopes. */
    public static @Nullable LockOwner owner() {
        LockScope scope = INNERMOST.get();
        return scope == null ? null : scope.asOwner();
    }

    /** As {@link #owner()}, but null if the calling thread is in no work of a logical owner. */
    public static @Nullable LockOwner logicalOwner() {
        LockScope scope = INNERMOST.get();
        return scope == null || !scope.logical ? null : scope.asOwner();
    }

    private LockOwner asOwner() {
        LockOwner known = owner;
        if (known == null) {
            known = LockOwner.inside(outer == null ? null : outer.asOwner(), handle);
            owner = known;
        }
        return known;
    }

    /**
     * Looks at all open scopes of this thread.
     *
     * @throws LockLostException if a hold of theirs was lost whose loss matters
     */
    public static void throwIfLost() {
        for (LockScope scope = INNERMOST.get(); scope != null; scope = scope.outer) {
            if (scope.lossMatters) {
                scope.handle.throwIfLost();
            }
        }
    }

    static @Nullable LockHandle innermost() {
        LockScope scope = INNERMOST.get();
        return scope == null ? null : scope.handle;
    }

    @Override
    public void close() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }
}
