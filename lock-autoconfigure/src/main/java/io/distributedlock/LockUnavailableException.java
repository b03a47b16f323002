package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be asked, answered with an error, or its answer stayed unknown, or the instance could not take one more
 * caller. It says nothing about whether somebody else holds the lock; the caller does not.
 */
public class LockUnavailableException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    private final boolean afterHold;

    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        this(lockName, message, cause, false);
    }

    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause, boolean afterHold) {
        super(lockName, message, cause);
        this.afterHold = afterHold;
    }

    /**
     * Whether the lock was held, the work under it is done, and only its release is not confirmed. Trying again would do
     * the work twice. Otherwise, the work has not begun.
     */
    public boolean isAfterHold() {
        return afterHold;
    }
}
