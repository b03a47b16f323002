package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be asked, answered with an error, or its answer stayed unknown. It says nothing about whether somebody
 * else holds the lock; the caller does not.
 */
public class LockUnavailableException extends DistributedLockException {

    private static final long serialVersionUID = 1L;

    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
