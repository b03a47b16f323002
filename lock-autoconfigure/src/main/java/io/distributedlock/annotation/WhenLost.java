package io.distributedlock.annotation;

/** What a call does when its lock was lost while the method ran. A failure of the method itself always wins. */
public enum WhenLost {

    /** Throws {@link io.distributedlock.LockLostException} once the method has returned normally. */
    THROW,

    /**
     * Interrupts the thread as well, once, as soon as the loss is known. The interrupt is over when the caller sees the
     * outcome: a method that ends with an {@link InterruptedException} or the like because of it throws
     * {@link io.distributedlock.LockLostException} instead.
     */
    INTERRUPT,

    /** Returns what the method returned; the loss is only logged, and an event. Transactions inside are not stopped from committing. */
    IGNORE
}
