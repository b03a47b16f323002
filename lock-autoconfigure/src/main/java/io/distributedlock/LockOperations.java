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
 */
public interface LockOperations {

    /**
     * Acquires the lock, waiting as long as the request says.
     *
     * <p>The hold lasts until the handle is closed, also inside of a transaction. A handle that is closed before the
     * commit lets the next holder in before it can see what was written: close it after the transaction, or use
     * {@link #execute}.
     *
     * @throws LockNotAcquiredException if the lock was still held by another caller when the wait was over, or at once
     *     if the request is not re-entrant and the caller holds the lock already
     * @throws LockUnavailableException if Redis could not be asked, refused, or its answer stayed unknown
     * @throws LockInterruptedException if the thread was interrupted while it waited; the interrupt flag is set again
     * @throws IllegalArgumentException if the request contradicts itself
     */
    LockHandle acquire(LockRequest request);

    /**
     * Acquires the lock, waiting as long as the request says, and says "busy" by an empty result.
     *
     * @return the hold, or empty if the lock is held by another caller, or by the caller itself and the request is not
     *     re-entrant. Empty never means that Redis could not be asked
     * @throws LockUnavailableException if Redis could not be asked, refused, or its answer stayed unknown
     * @throws LockInterruptedException if the thread was interrupted while it waited; the interrupt flag is set again
     */
    Optional<LockHandle> tryAcquire(LockRequest request);

    /**
     * Acquires the lock without blocking the calling thread. Nothing is thrown: every failure comes through the stage,
     * as one of the exceptions that {@link #acquire} throws. Cancelling or completing the stage's future leaves the
     * queue, or releases the lock if it was granted meanwhile.
     *
     * <p>What depends on the stage runs on a thread of the library that is meant for it and may block. 256 such threads
     * may be busy at the same time; the outcomes of further acquisitions then wait until one of these returns. A thread
     * that waits for the stage's future itself, or for a future that was derived from it, is always told in time (of a
     * request for several names: unless all these threads are busy). Requests whose logical owner is nested in others
     * have such threads for each depth of nesting, so that work may wait for the work inside of it.
     *
     * <p>The hold is looked at just before the stage completes: one whose lease has passed by then is never delivered,
     * and the acquisition goes on waiting, or fails with {@link LockUnavailableException} if its wait is over. What
     * depends on the stage runs later than that, so it looks at {@link LockHandle#isHeld()} or
     * {@link LockHandle#remainingLease()} first if it may be kept waiting for as long as a lease.
     */
    CompletionStage<LockHandle> acquireAsync(LockRequest request);

    /**
     * Runs the callback under the lock and releases it afterwards. Inside the callback, {@link LockHandle#current()} is
     * the handle. A failure of the callback always wins: one in the release is added to it as suppressed.
     *
     * <p>Inside of a transaction, the locks of {@code RedisLockTemplate} are released when that transaction has
     * completed, so that the next holder sees what was committed, and a lock that is lost by then stops the commit
     * ({@code distributed-lock.keep-until-completion}). This default implementation releases when the callback has
     * ended: a decorator passes {@code execute} on.
     *
     * @throws LockLostException if the callback returned normally, but the lock was lost before it did
     */
    default <T extends @Nullable Object, E extends Throwable> T execute(
            LockRequest request, LockCallback<T, E> callback) throws E {
        try (LockHandle handle = acquire(request);
                LockScope ignored = LockScope.open(handle)) {
            return callback.run(handle);
        }
    }

    /**
     * A view for code that wants a {@link Lock}. {@code lock()} and {@code lockInterruptibly()} wait without limit,
     * {@code tryLock()} tries once, and {@code tryLock(time, unit)} waits for that time, whatever the request says of
     * it. {@code unlock()} gives back the latest hold that the calling thread has acquired through this view; it throws
     * {@link IllegalMonitorStateException} if there is none, and what {@link LockHandle#close()} throws. All methods
     * but {@code unlock()} throw {@link LockUnavailableException} if Redis does not answer. There are no conditions.
     * The view is safe for use by any number of threads.
     */
    default Lock asLock(LockRequest request) {
        return new LockView(this, request);
    }

    /**
     * Reads who holds the lock at this moment.
     *
     * @return empty if nobody holds it
     * @throws LockUnavailableException if Redis could not be asked
     */
    Optional<LockState> inspect(String name);

    /**
     * Gives back one hold of an {@linkplain LockRequest#owner(String) explicit owner}, from any instance and thread.
     * When the last one is gone, the handles of that owner are lost.
     *
     * @throws LockUnavailableException if Redis could not be asked or its answer stayed unknown
     */
    ReleaseResult release(String name, String owner);

    /**
     * Takes the lock away from its holder. The holder learns that its lock is lost; the next holder's fencing token is
     * higher. Meant for operators.
     *
     * @return whether it was held
     * @throws LockUnavailableException if Redis could not be asked or its answer stayed unknown
     */
    boolean forceRelease(String name);
}
