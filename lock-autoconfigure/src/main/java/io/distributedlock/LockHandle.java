/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One hold of a lock, from grant to {@link #close()}.
 *
 * <p>Keep a reference to it while you need the lock: the lease of a handle that was garbage collected unclosed is no
 * longer renewed. The same is true once the thread that acquired it has ended; work that moves between threads uses
 * {@link LockOperations#acquireAsync} or {@link LockRequest#owner(String)}. Handles are safe for use by several
 * threads.
 */
public interface LockHandle extends AutoCloseable {

    /** The name that was locked, as given in the request; of several names the first one in global order. */
    String name();

    /**
     * The fencing token of this hold: higher than that of every earlier hold of this name, and the same for re-entries.
     * A resource that refuses writes below the highest token it has seen is safe even from holders that were stopped
     * past their lease. Of several names it is the highest one.
     */
    long fencingToken();

    /** The fencing tokens by name, in global order; unmodifiable. */
    default Map<String, Long> fencingTokens() {
        return Map.of(name(), fencingToken());
    }

    /** Whether the lock is still held, by the local clock and without asking Redis. */
    boolean isHeld();

    /** What is left of the lease by the local clock; zero if it was lost or closed. */
    Duration remainingLease();

    /**
     * Sets the remaining lease to the given time from now. Later renewals never shorten it; {@code maxHold} still
     * limits it. Asks Redis and waits for the answer.
     *
     * @param lease at least 10 ms
     * @throws LockLostException if the lock was lost or closed
     * @throws LockUnavailableException if the answer stayed unknown; the shorter one of the old lease and the new one
     *     then counts
     */
    void extend(Duration lease);

    /**
     * Runs the callback once when this hold is lost, at once if it already is. Closing the handle before that drops it,
     * and so does losing every reference to the handle: the handle keeps its callbacks, nothing else does.
     *
     * <p>It runs on a thread of the library that only runs such callbacks. 256 of them may be busy at the same time;
     * further ones wait until one of these returns. A callback that fails is logged and affects no other.
     */
    void onLost(Runnable callback);

    /** @throws LockLostException if this hold was lost */
    void throwIfLost();

    /**
     * Ends this hold. The lock becomes free when the last re-entry is closed. Only the first call does anything. It is
     * not interruptible and keeps the interrupt flag. Redis is not asked, and what only Redis knows is not told, if the
     * lock is passed on inside this instance or retained, or with {@code distributed-lock.release: async}.
     *
     * @throws LockLostException if the hold was lost before
     * @throws LockReleaseUnconfirmedException if Redis did not confirm the release; the lock is free when its lease
     *     ends, or earlier, since the release is tried again meanwhile
     */
    @Override
    void close();

    /**
     * Ends this hold as {@link #close()} does, without blocking the calling thread. Nothing is thrown: what
     * {@code close()} throws comes through the stage. Only the first call of the two does anything; later ones return a
     * completed stage. The stage is completed on a thread of the library that is meant for code of the application, or
     * at once. (Implementations that do not override this method close in the calling thread.)
     */
    default CompletionStage<Void> closeAsync() {
        try {
            close();
            return CompletableFuture.completedFuture(null);
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /**
     * The innermost hold of the annotated method or {@link LockOperations#execute execute} that this thread runs. A
     * thread that Micrometer's context propagation has given the hold of another thread sees that one, but does not
     * enter its lock; it may have been released meanwhile, as {@link #isHeld()} says.
     */
    static Optional<LockHandle> current() {
        return Optional.ofNullable(LockScope.current()).map(LockScope::handle);
    }
}
