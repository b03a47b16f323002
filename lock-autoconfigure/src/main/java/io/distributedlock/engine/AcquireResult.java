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

/** The result of a waiter. The caller creates exceptions from it, so that they have the caller's stack. */
sealed interface AcquireResult {

    record Granted(LockHandle handle, Path path) implements AcquireResult {
        @Override
        public String outcome() {
            return "granted";
        }
    }

    /** Another caller holds the lock and the wait is over. */
    record Busy() implements AcquireResult {
        @Override
        public String outcome() {
            return "busy";
        }
    }

    /** The caller already holds the lock, and its request was not re-entrant. */
    record ReentryRefused() implements AcquireResult {
        @Override
        public String outcome() {
            return "re-entry refused";
        }
    }

    /** The caller reads the lock, and would wait for itself. */
    record UpgradeRefused() implements AcquireResult {
        @Override
        public String outcome() {
            return "upgrade refused";
        }
    }

    record Unavailable(String why, @Nullable Throwable cause) implements AcquireResult {
        @Override
        public String outcome() {
            return "unavailable";
        }
    }

    /** It was granted, but the hold was over before the caller received it. No work has run under it. */
    record Late() implements AcquireResult {
        @Override
        public String outcome() {
            return "granted too late";
        }
    }

    /** Other callers wait for this one, and this one for them. */
    record Deadlock(String ring) implements AcquireResult {
        @Override
        public String outcome() {
            return "deadlock";
        }
    }

    /** The waiter left of its own accord. */
    record Cancelled() implements AcquireResult {
        @Override
        public String outcome() {
            return "cancelled";
        }
    }

    /** The text of the log. */
    String outcome();

    /** Whether it is a result for a caller that only tries. */
    default boolean meansBusy() {
        return this instanceof Busy || this instanceof ReentryRefused || this instanceof UpgradeRefused;
    }

    static AcquireResult reentered(LockHandle handle) {
        return new Granted(handle, Path.RE_ENTERED);
    }

    /** @param cause the failure inside the engine, null if the log of this instance has it */
    static AcquireResult failed(@Nullable Throwable cause) {
        return new Unavailable("a step of the lock engine has failed", cause);
    }

    static AcquireResult shuttingDown() {
        return new Unavailable("the lock template is shutting down", null);
    }

    static AcquireResult tooMany(int limit) {
        return new Unavailable(
                limit + " callers of this instance wait for it already, which is the maximum (maxWaiters)", null);
    }

    /**
     * The same, but a grant whose hold is over by now is closed, and late. Call it just before the caller gets the
     * result.
     */
    default AcquireResult abandonIfLate() {
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
     * @param holder the text about the holder of a busy lock, null if unknown
     */
    default DistributedLockException toException(String name, Duration waited, @Nullable String holder) {
        if (this instanceof Unavailable unavailable) {
            return new LockUnavailableException(
                    name, "Lock '" + name + "' is unavailable: " + unavailable.why(), unavailable.cause());
        }
        if (this instanceof Late) {
            String message = "Lock '" + name + "' was granted, but its lease had ended or it was revoked before the"
                    + " caller got it, and the wait was over";
            return new LockUnavailableException(name, message, null);
        }
        if (this instanceof Deadlock deadlock) {
            String message = "Lock '" + name + "' is part of a deadlock, and the wait for it was ended: "
                    + deadlock.ring() + ". Release the locks that are held, and acquire these locks in one order.";
            return new LockDeadlockException(name, message, waited);
        }
        if (this instanceof UpgradeRefused) {
            String message = "Lock '" + name + "' is held in the mode SHARED by the caller, which requests it in the"
                    + " mode EXCLUSIVE and would wait for itself. Close the shared hold first, or acquire the lock in"
                    + " the mode EXCLUSIVE from the beginning.";
            return new LockNotAcquiredException(name, message, waited);
        }
        String why = this instanceof ReentryRefused
                ? "is already held by the caller, and the request is not re-entrant"
                : "is held by " + (holder == null ? "another caller" : holder) + "; waited " + waited.toMillis()
                        + " ms";
        return new LockNotAcquiredException(name, "Lock '" + name + "' " + why, waited);
    }
}
