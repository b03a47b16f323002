/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Acquires, releases and inspects distributed locks.
 *
 * <p>The owner of a blocking call is the calling thread: acquiring a name again in the same thread is a re-entry, costs
 * no round trip and gets the same fencing token. A hold of {@link #acquireAsync} has an owner of its own and is not
 * re-entered, unless the request names a {@link LockRequest#logicalOwner(LockOwner) logical owner}. With
 * {@link LockRequest#owner(String)} the owner is that text, in every instance.
 *
 * <p>Implementations are safe for use by any number of threads.
 *
 * @since 0.1.0
 */
public interface LockOperations {

    /**
     * Acquires the lock, and waits for at most the time of the request.
     *
     * <p>The hold lasts until the handle is closed, also inside a transaction. If a handle is closed before the commit,
     * the next holder gets the lock before it can see the changes: close the handle after the transaction, or use
     * {@link #execute}.
     *
     * @param request the lock and its options
     * @return the hold, which the caller has to close
     * @throws LockNotAcquiredException if the lock was still held by another caller when the wait was over, or at once
     *     if the caller already holds the lock and the request is not re-entrant, or requests
     *     {@link LockMode#EXCLUSIVE} while the caller holds it {@link LockMode#SHARED}
     * @throws LockUnavailableException if Redis could not be reached, refused the command, or did not reply in time; if
     *     too many callers wait, or the instance stops; or if the lock, or one of several, was lost before the
     *     acquisition was complete
     * @throws LockInterruptedException if the thread was interrupted while it waited; the interrupt flag is set again
     * @throws IllegalArgumentException if the request contradicts itself
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock like {@link #acquire}, but returns an empty result if the lock is busy.
     *
     * @param request the lock and its options
     * @return the hold, or empty if the lock is held by another caller, or by the caller itself and the request is not
     *     re-entrant, or is {@link LockMode#EXCLUSIVE} and the hold {@link LockMode#SHARED}; never empty because Redis
     *     could not be reached
     * @throws LockDeadlockException if the wait was ended to resolve a deadlock
     * @throws LockUnavailableException if Redis could not be reached, refused the command, or did not reply in time; if
     *     too many callers wait, or the instance stops; or if the lock, or one of several, was lost before the
     *     acquisition was complete
     * @throws LockInterruptedException if the thread was interrupted while it waited; the interrupt flag is set again
     * @throws IllegalArgumentException if the request contradicts itself
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock without blocking the calling thread. Nothing is thrown: every failure comes through the stage,
     * as one of the exceptions that {@link #acquire} throws. Cancelling or completing the stage's future ends the wait,
     * or releases the lock if it was granted in the meantime.
     *
     * <p>An implementation that wraps another one returns a stage that passes its cancellation on: of a stage such as
     * {@code other.acquireAsync(request).thenApply(…)}, a cancellation does not reach the acquisition, whose hold no
     * caller would close.
     *
     * <p>Dependents of the stage run on threads of the library that are reserved for them, and may block. Up to 256
     * such threads may be busy at the same time; the results of further acquisitions then wait until one of them
     * returns. A thread that waits for the stage's future itself, or for a future that was derived from it, always gets
     * the result in time (for a request with several names: unless all these threads are busy). Requests whose logical
     * owner is nested in others have such threads for each depth of nesting, so that work may wait for nested work.
     *
     * <p>The hold is checked just before the stage completes: a hold whose lease has ended by then is never delivered,
     * and the acquisition continues to wait, or fails with {@link LockUnavailableException} if its wait is over.
     * Dependents of the stage run later than that. If they may be delayed by as much as a lease, they have to check
     * {@link LockHandle#isHeld()} or {@link LockHandle#remainingLease()} first.
     *
     * @param request the lock and its options
     * @return the stage that completes with the hold
     */
    CompletionStage<LockHandle> acquireAsync(LockRequest request);

    /**
     * Runs the callback under the lock and releases it afterwards. Inside the callback, {@link LockHandle#current()}
     * returns the handle. If the callback fails, its exception is thrown, and a failure of the release is added as
     * suppressed.
     *
     * <p>Inside a transaction, {@code RedisLockTemplate} releases the locks when that transaction has completed, so
     * that the next holder sees the committed data, and the loss of such a lock stops the commit
     * ({@code distributed-lock.keep-until-completion}). This default implementation releases the lock when the callback
     * has ended, so a decorator should delegate {@code execute}.
     *
     * @param <T> the type of the result
     * @param <E> the type of the exception that the callback declares
     * @param request the lock and its options
     * @param callback runs in the calling thread
     * @return the result of the callback
     * @throws E if the callback throws it
     * @throws LockNotAcquiredException as {@link #acquire} throws it; the callback was not run
     * @throws LockUnavailableException as {@link #acquire} throws it; the callback was not run
     * @throws LockInterruptedException as {@link #acquire} throws it; the callback was not run
     * @throws IllegalArgumentException as {@link #acquire} throws it; the callback was not run
     * @throws LockLostException if the callback returned normally, but the lock was lost before it did
     * @throws LockReleaseUnconfirmedException if the callback returned normally, but Redis did not confirm the release;
     *     not for a lock that a transaction keeps
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(
            LockRequest request, LockCallback<T, E> callback) throws E {
        try (LockHandle handle = acquire(request);
                LockScope ignored = LockScope.open(handle)) {
            return callback.run(handle);
        }
    }

    /**
     * A view for code that requires a {@link Lock}. {@code lock()} and {@code lockInterruptibly()} wait without limit,
     * {@code tryLock()} tries once, and {@code tryLock(time, unit)} waits for that time; the wait of the request is
     * ignored. If the thread holds the lock and the request is not re-entrant, or would change {@link LockMode#SHARED}
     * to {@link LockMode#EXCLUSIVE}, {@code lock()} and {@code lockInterruptibly()} throw
     * {@link LockNotAcquiredException} at once, and {@code tryLock} returns false. {@code unlock()} releases the latest
     * hold that the calling thread has acquired through this view; it throws {@link IllegalMonitorStateException} if
     * there is none, and what {@link LockHandle#close()} throws. The methods that acquire throw
     * {@link LockUnavailableException} if Redis does not reply. {@code newCondition()} throws
     * {@link UnsupportedOperationException}. The view is safe for use by any number of threads. Keep a reference to it
     * while a lock is needed: it has the {@linkplain LockHandle handles}.
     *
     * @param request the lock and its options
     * @return the view
     */
    default Lock asLock(LockRequest request) {
        return new LockView(this, request);
    }

    /**
     * Reads the current state of the lock from Redis. If the {@linkplain LockState#label() label} of the holder's
     * instance is not known yet, the call also requests it, which may take up to two tenths of a second; the label of
     * an instance that does not reply is null.
     *
     * @param name the name of the lock
     * @return the state, or empty if the lock is free
     * @throws LockUnavailableException if Redis could not be reached or did not reply in time
     * @throws LockInterruptedException if the thread was interrupted while it waited for the reply
     * @throws IllegalArgumentException if the name is null, blank or too long
     */
    Optional<LockState> inspect(String name);

    /**
     * Releases one hold of an {@linkplain LockRequest#owner(String) explicit owner}, from any instance and thread. When
     * the last hold is released, all open handles of that owner are lost; for those of other instances, see
     * {@link #forceRelease}. A hold that was lost, or ended with its lease, counts as one that was released like this.
     *
     * <p>After a {@link LockUnavailableException}, the hold may or may not have been released. A repeated call then
     * releases a second hold of the same owner, if there is one.
     *
     * @param name the name of the lock
     * @param owner the explicit owner
     * @return whether a hold was released, and why not
     * @throws LockUnavailableException if Redis could not be reached or did not reply in time
     * @throws LockInterruptedException if the thread was interrupted while it waited for the reply; the lock may have
     *     been released
     * @throws IllegalArgumentException if the name or the owner is null, blank or too long
     */
    ReleaseResult release(String name, String owner);

    /**
     * Releases the lock by force. The holder is notified that its lock is lost, in this instance before the call
     * returns; the next holder's fencing token is higher. Meant for operators.
     *
     * <p>In a Redis Cluster, a holder in another instance is not notified if the lock has changed its server since it
     * was acquired: it detects the loss at its next renewal, after a third of its lease at most.
     *
     * <p>After a {@link LockUnavailableException}, the lock may or may not have been released. A repeated call then
     * releases the lock of the next holder, if there is one.
     *
     * @param name the name of the lock
     * @return whether it was held
     * @throws LockUnavailableException if Redis could not be reached or did not reply in time
     * @throws LockInterruptedException if the thread was interrupted while it waited for the reply; the lock may have
     *     been released
     * @throws IllegalArgumentException if the name is null, blank or too long
     */
    boolean forceRelease(String name);
}
