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
 * <p>Keep a reference to the handle while the lock is needed: the lease of a handle that was garbage collected without
 * being closed is no longer renewed. The same is true once the thread that acquired it has ended; work that moves
 * between threads uses {@link LockOperations#acquireAsync} or {@link LockRequest#owner(String)}. Handles are safe for
 * use by several threads.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

    /** {@return the name that was locked, as given in the request; of several names the first one in global order} */
    String name();

    /**
     * The fencing token of this hold: higher than that of every earlier hold of this name, and the same for re-entries.
     * A resource that refuses writes with a token below the highest that it has seen is safe even from holders that
     * were paused beyond their lease. For several names it is the highest token.
     *
     * @return the token, positive
     */
    long fencingToken();

    /**
     * {@return the fencing tokens by name, in global order; unmodifiable} If a method has locks of the same name in two
     * {@link LockOperations}, it is the higher token of both.
     */
    default Map<String, Long> fencingTokens() {
        return Map.of(name(), fencingToken());
    }

    /** {@return whether the lock is still held, by the local clock and without a request to Redis} */
    boolean isHeld();

    /** {@return the remaining lease by the local clock; zero if the hold was lost or closed} */
    Duration remainingLease();

    /**
     * Sets the remaining lease to the given time from now. Later renewals never shorten it; {@code maxHold} still
     * limits it. Sends a request to Redis and waits for the reply. Of two calls that overlap, either may be the later
     * one. Several names are extended one after the other: if one fails, those before it remain extended, and those
     * after it are not extended.
     *
     * @param lease from 10 ms to 365 days
     * @throws IllegalArgumentException if the lease is outside that range
     * @throws LockLostException if the lock was lost or closed
     * @throws LockUnavailableException if Redis has refused the request, which then changes nothing; or if no reply
     *     arrived, Redis has failed while it executed the request, or too few replicas have confirmed it: the shorter
     *     of the old and the new lease then counts, until a later call or renewal is confirmed. No renewal repeats a
     *     call that has failed
     * @throws LockInterruptedException if the thread was interrupted; the lock is still held, and the shorter lease
     *     counts
     */
    void extend(Duration lease);

    /**
     * Runs the callback once when this hold is lost. The callback is dropped if the handle is closed before that, or if
     * no reference to the handle is left: only the handle refers to its callbacks.
     *
     * <p>It runs on a thread of the library that is reserved for such callbacks. Up to 256 callbacks may run at the
     * same time; further ones wait until one of them returns. If the hold is lost already, the callback runs at once,
     * in the calling thread. A callback that fails is logged and affects no other.
     *
     * @param callback what to run
     * @throws NullPointerException if the callback is null
     */
    void onLost(Runnable callback);

    /**
     * Checks this hold, by the local clock and without a request to Redis.
     *
     * @throws LockLostException if it was lost; not if it was closed before
     */
    void throwIfLost();

    /**
     * Ends this hold. The lock becomes free when the last re-entry is closed. Only the first call has an effect. It is
     * not interruptible and keeps the interrupt flag. If the lock is passed on inside this instance or retained, or
     * with {@code distributed-lock.release: async}, the call does not wait for Redis, and does not report a loss that
     * only Redis knows of.
     *
     * @throws LockLostException if the hold was lost before
     * @throws LockReleaseUnconfirmedException if Redis did not confirm the release; the lock is free when its lease and
     *     its {@code minHold} have ended, or earlier, since the release is retried in the meantime
     */
    @Override
    void close();

    /**
     * Ends this hold as {@link #close()} does, without blocking the calling thread. Nothing is thrown: the stage fails
     * with the exceptions of {@code close()}. Only the first call of either method has an effect; later calls return a
     * completed stage. The stage is completed on a thread of the library that is reserved for application code, or at
     * once. (Implementations that do not override this method close in the calling thread.)
     *
     * @return the stage that completes when the hold has ended
     */
    default CompletionStage<Void> closeAsync() {
        try {
            close();
            return CompletableFuture.completedFuture(null);
        } catch (Throwable ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /**
     * Ends this hold as {@link #closeAsync()} does, for a caller that has done no work under the lock: a
     * {@linkplain LockRequest#minHold(java.time.Duration) minimum time} of the hold does not apply, unless the caller
     * has re-entered the lock. (Implementations that do not override this method call {@code closeAsync()}.)
     *
     * @return the stage that completes when the hold has ended
     */
    default CompletionStage<Void> closeUnused() {
        return closeAsync();
    }

    /**
     * The innermost hold of the annotated method or {@link LockOperations#execute execute} that this thread runs. A
     * thread that has the hold of another thread through Micrometer's context propagation sees that hold, but cannot
     * re-enter its lock; {@link #isHeld()} shows whether it was released in the meantime.
     *
     * @return the hold, or empty outside of such a call
     */
    static Optional<LockHandle> current() {
        return Optional.ofNullable(LockScope.current()).map(LockScope::handle);
    }
}
