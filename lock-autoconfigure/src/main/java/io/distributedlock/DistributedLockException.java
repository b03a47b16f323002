package io.distributedlock;

import org.jspecify.annotations.Nullable;

/** Base of everything that goes wrong with a lock. Never thrown itself for a misuse: that is an {@link IllegalArgumentException}. */
public class DistributedLockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    public DistributedLockException(String lockName, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
    }

    /** The name that was asked for. */
    public String lockName() {
        return lockName;
    }
}
