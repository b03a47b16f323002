/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes a handle the {@linkplain LockHandle#current() current} one of this thread until it is closed. Scopes nest and
 * are closed in the reverse order by the thread that opened them. Needed only by code that implements
 * {@link LockOperations} or intercepts calls itself, and by unit tests of methods that use {@link LockAssert} or the
 * current handle.
 *
 * <p>A scope can be {@linkplain #show shown} in another thread. Its handle is the current one there too, but the calls
 * of that thread are not calls of the holder, so they do not enter its lock. Only the scope of a subscription belongs
 * to no thread: every thread that serves the subscription works for its owner.
 *
 * @since 0.1.0
 */
public final class LockScope implements AutoCloseable {

    private static final ThreadLocal<@Nullable LockScope> INNERMOST = new ThreadLocal<>();

    /** An id that no thread has. */
    private static final long NO_THREAD = 0;

    private final LockHandle handle;

    private final boolean lossMatters;

    /** The owner of asynchronous work, or null if the scope is of a call of the thread. */
    private final @Nullable LockOwner work;

    private final @Nullable LockScope outer;

    /** The thread's id, so that a thread that has ended is not kept. */
    private final long thread;

    private final OpenWork open = new OpenWork();

    /** Represents the calls of the thread; created on demand. */
    private @Nullable LockOwner owner;

    /** Written and read by the thread that opened the scope. */
    private boolean closed;

    private LockScope(
            LockHandle handle, boolean lossMatters, @Nullable LockOwner work, @Nullable LockScope outer, long thread) {
        this.handle = handle;
        this.lossMatters = lossMatters;
        this.work = work;
        this.outer = outer;
        this.thread = thread;
    }

    /**
     * Opens a scope in the calling thread, whose loss matters.
     *
     * @param handle the hold that becomes the current one
     * @return the scope, which the calling thread has to close
     */
    public static LockScope open(LockHandle handle) {
        return open(handle, true);
    }

    /**
     * Opens a scope in the calling thread.
     *
     * @param handle the hold that becomes the current one
     * @param lossMatters false if {@link #throwIfLost()} and {@link #throwIfAnyLost()} skip this scope
     * @return the scope, which the calling thread has to close
     */
    public static LockScope open(LockHandle handle, boolean lossMatters) {
        return open(handle, lossMatters, null);
    }

    /**
     * Opens a scope in the calling thread for work that does not belong to the thread but to an owner: blocking calls
     * in it may enter what the owner holds.
     *
     * @param handle the hold that becomes the current one
     * @param lossMatters false if {@link #throwIfLost()} and {@link #throwIfAnyLost()} skip this scope
     * @param owner the owner of the work; null for work of the calling thread
     * @return the scope, which the calling thread has to close
     */
    public static LockScope open(LockHandle handle, boolean lossMatters, @Nullable LockOwner owner) {
        LockScope scope = new LockScope(handle, lossMatters, owner, INNERMOST.get(), currentThread());
        INNERMOST.set(scope);
        return scope;
    }

    /**
     * A scope for a subscription. It is opened in no thread, and need not be closed.
     *
     * @param handle the hold of the subscription
     * @param lossMatters false if {@link #throwIfLost()} and {@link #throwIfAnyLost()} skip this scope
     * @param owner the owner that the hold was acquired with
     * @param outer the scope that the subscription is already in, or null
     * @return the scope, for {@link #show}
     */
    public static LockScope ofSubscription(
            LockHandle handle, boolean lossMatters, LockOwner owner, @Nullable LockScope outer) {
        return new LockScope(handle, lossMatters, owner, outer, NO_THREAD);
    }

    /** {@return the innermost scope that is open or shown in the calling thread, or null} */
    public static @Nullable LockScope current() {
        return INNERMOST.get();
    }

    /**
     * Shows a scope in the calling thread, in the place of all that are open or shown there. The caller has to show the
     * earlier {@link #current()} scope again when it is done.
     *
     * @param scope the scope; null shows none
     */
    public static void show(@Nullable LockScope scope) {
        if (scope == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(scope);
        }
    }

    /**
     * The owner that represents the work of the calling thread.
     *
     * @return the owner; null outside all scopes, and in a scope of another thread
     */
    public static @Nullable LockOwner owner() {
        LockScope scope = INNERMOST.get();
        return scope == null ? null : scope.ownerHere();
    }

    /** {@return as {@link #owner()}, but null if the calling thread is in no work of a logical owner} */
    public static @Nullable LockOwner logicalOwner() {
        LockScope scope = INNERMOST.get();
        return scope == null || scope.nearestWork() == null ? null : scope.ownerHere();
    }

    /** {@return the hold of this scope} */
    public LockHandle handle() {
        return handle;
    }

    /** {@return the scope that this one is in, or null} */
    public @Nullable LockScope outer() {
        return outer;
    }

    /**
     * The owner that a subscription in this scope works for.
     *
     * @return the owner; null in a scope of calls of another thread, which run concurrently with the subscription
     */
    public @Nullable LockOwner ownerOfSubscription() {
        LockOwner here = ownerHere();
        return here == null ? nearestWork() : here;
    }

    /** Null if the scope is of another thread, or was closed. */
    private @Nullable LockOwner ownerHere() {
        if (!isHere()) {
            return null;
        }
        if (work != null) {
            return work;
        }
        LockOwner known = owner;
        if (known == null) {
            known = LockOwner.inside(outer == null ? null : outer.ownerHere(), handle);
            owner = known;
        }
        return known;
    }

    private boolean isHere() {
        return thread == NO_THREAD || isOpenHere();
    }

    /** Whether the calling thread has opened it and not closed it since. */
    boolean isOpenHere() {
        return thread == currentThread() && !closed;
    }

    private @Nullable LockOwner nearestWork() {
        LockScope scope = this;
        while (scope.work == null && scope.outer != null) {
            scope = scope.outer;
        }
        return scope.work;
    }

    /**
     * Checks all open scopes of this thread.
     *
     * @throws LockLostException if one of their holds was lost and its loss is not ignored
     */
    public static void throwIfLost() {
        LockScope scope = INNERMOST.get();
        if (scope != null) {
            scope.throwIfAnyLost();
        }
    }

    /**
     * Checks this scope and those around it.
     *
     * @throws LockLostException if one of their holds was lost and its loss is not ignored
     */
    public void throwIfAnyLost() {
        for (LockScope scope = this; scope != null; scope = scope.outer) {
            if (scope.lossMatters) {
                scope.handle.throwIfLost();
            }
        }
    }

    /**
     * Work under the hold of this scope has begun that may outlast the call, such as a transaction, whose commit or
     * rollback no operator waits for after a cancellation. The hold must not end before it.
     *
     * @return false if the call has {@linkplain #whenWorkHasEnded ended} already; then the release does not wait, and
     *     {@link #endWork} must not be called
     */
    public boolean beginWork() {
        return open.begin();
    }

    /** Such work has ended, on any thread. The release follows in the calling thread, which it does not block. */
    public void endWork() {
        open.end();
    }

    /**
     * The call has ended: from now on, no work begins. May be called repeatedly.
     *
     * @return completes when all work that had begun has ended; is complete if that is the case
     */
    public CompletionStage<@Nullable Void> whenWorkHasEnded() {
        return open.close();
    }

    /** An id is never used again. */
    @SuppressWarnings("deprecation") // Its successor is not there on Java 17.
    private static long currentThread() {
        return Thread.currentThread().getId();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            show(outer);
        }
    }
}
