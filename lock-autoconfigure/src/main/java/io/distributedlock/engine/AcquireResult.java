/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockDeadlockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a waiter gets. Exceptions are made from it by the caller, so that they carry the caller's stack. */
sealed interface AcquireResult {

    record Granted(LockHandle handle, Path path) implements AcquireResult {}

    /** Another caller holds the lock and the wait is over. */
    record Busy() implements AcquireResult {}

    /** The caller holds the lock already, and did not want to enter again. */
    record ReentryRefused() implements AcquireResult {}

    /** The caller reads the lock, and would wait for itself. */
    record UpgradeRefused() implements AcquireResult {}

    record Unavailable(String why, @Nullable Throwable cause) implements AcquireResult {}

    /** It was granted, but the hold was over before the caller got it. Nothing has run under it. */
    record Late() implements AcquireResult {}

    /** Others wait for the caller, and the caller for them. */
    record Deadlock(String ring) implements AcquireResult {}

    /** The waiter left of its own accord. */
    record Left() implements AcquireResult {}

    /** Whether it is what a caller hears that only tries. */
    default boolean meansBusy() {
        return this instanceof Busy || this instanceof ReentryRefused || this instanceof UpgradeRefused;
    }

    static AcquireResult reentered(LockHandle handle) {
        return new Granted(handle, Path.RE_ENTERED);
    }

    static AcquireResult shuttingDown() {
        return new Unavailable("the lock template is shutting down", null);
    }

    static AcquireResult tooMany(int limit) {
        return new Unavailable(
                limit
                        + " callers of this instance wait for it already, and distributed-lock.max-waiters allows no"
                        + " more",
                null);
    }

    /**
     * The same, but a grant whose hold is over by now is closed, and late. To be called just before the caller gets it.
     */
    default AcquireResult orLate() {
        if (this instanceof Granted granted
                && granted.handle() instanceof DefaultLockHandle handle
                && !handle.isHeld()) {
            handle.abandon();
            return new Late();
        }
        return this;
    }

    /**
     * The exception for everything but a grant.
     *
     * @param holder what is said of the holder of a busy lock, null if nothing is known
     */
    default DistributedLockException toException(String name, Duration waited, @Nullable String holder) {
        if (this instanceof Unavailable unavailable) {
            return new LockUnavailableException(
                    name, "Lock '" + name + "' is unavailable: " + unavailable.why(), unavailable.cause());
        }
        if (this instanceof Late) {
            String message = "Lock '" + name + "' was granted, but its lease had passed or it was taken away before the"
                    + " caller got it, and the wait was over";
            return new LockUnavailableException(name, message, null);
        }
        if (this instanceof Deadlock deadlock) {
            String message = "Lock '" + name + "' is not waited for any longer, as its callers wait for each other: "
                    + deadlock.ring() + ". Give back what is held, and acquire these locks in one order.";
            return new LockDeadlockException(name, message, waited);
        }
        if (this instanceof UpgradeRefused) {
            String message = "Lock '" + name + "' is held in the mode SHARED by the caller, which asks for it in the"
                    + " mode EXCLUSIVE and would wait for itself. Close the shared hold before, or acquire the lock in"
                    + " the mode EXCLUSIVE from the beginning.";
            return new LockNotAcquiredException(name, message, waited);
        }
        String why = this instanceof ReentryRefused
                ? "is held by the caller already, and the request is not re-entrant"
                : "is held by " + (holder == null ? "another caller" : holder) + "; waited " + waited.toMillis()
                        + " ms";
        return new LockNotAcquiredException(name, "Lock '" + name + "' " + why, waited);
    }
}
