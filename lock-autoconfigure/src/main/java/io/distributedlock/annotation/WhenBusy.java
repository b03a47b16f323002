package io.distributedlock.annotation;

/** What a call does when somebody else holds the lock and the wait is over. */
public enum WhenBusy {

    /** Throws {@link io.distributedlock.LockNotAcquiredException}. */
    THROW,

    /**
     * Returns without running the method: {@code null}, or {@link java.util.Optional#empty()} for an {@code Optional}.
     * Refused at start-up for methods that return a primitive other than {@code void}.
     */
    SKIP
}
