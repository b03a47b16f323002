package io.distributedlock.annotation;

/** What a call does when its lock was lost while the method ran. A failure of the method itself always wins. */
public enum WhenLost {

    /** Throws {@link io.distributedlock.LockLostException} once the method has returned normally. */
    THROW,

    /** Returns what the method returned; the loss is only logged. */
    IGNORE
}
