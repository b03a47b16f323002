/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockCallback;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockScope;
import io.distributedlock.composite.StageFailures;
import org.jspecify.annotations.Nullable;

/** Runs work under a lock. A transaction around the work keeps the lock until it has completed. */
public final class TransactionalHold {

    private TransactionalHold() {}

    /**
     * Runs the callback, with the handle as the {@linkplain LockHandle#current() current} one, and ends the hold or
     * passes its end to the transaction.
     *
     * @throws LockLostException if the callback returned normally, but the lock was lost before it did
     */
    public static <T extends @Nullable Object, E extends Throwable> T run(
            LockHandle handle, LockCallback<T, E> callback) throws E {
        Runnable end = endOf(handle);
        T result;
        try (LockScope scope = LockScope.open(handle)) {
            result = callback.run(handle);
        } catch (Throwable failure) {
            endAfter(failure, end);
            throw failure;
        }
        end.run();
        return result;
    }

    /** If the transaction cannot take over the hold, it must not remain. */
    private static Runnable endOf(LockHandle handle) {
        try {
            return LockReleaseSynchronization.deferRelease(handle, true) ? handle::throwIfLost : handle::close;
        } catch (Throwable failure) {
            endAfter(failure, handle::close);
            throw failure;
        }
    }

    /** The failure of the work has priority; the loss that has stopped the work is not reported twice. */
    private static void endAfter(Throwable failure, Runnable end) {
        try {
            end.run();
        } catch (RuntimeException | Error second) {
            if (second != failure && !StageFailures.isSameLoss(failure, second)) {
                failure.addSuppressed(second);
            }
        }
    }
}
