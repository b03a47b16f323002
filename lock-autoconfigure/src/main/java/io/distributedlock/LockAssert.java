/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.Objects;

/**
 * Asserts that code runs under a lock, so that the first test detects a call that has bypassed the proxy.
 *
 * @since 0.1.0
 */
public final class LockAssert {

    private LockAssert() {}

    /**
     * Passes if the calling thread runs inside an annotated method or {@link LockOperations#execute execute} and the
     * innermost hold is still held.
     *
     * @throws IllegalStateException if there is no such hold, or if it was released
     * @throws LockLostException if it was lost
     */
    public static void assertLocked() {
        LockScope scope = LockScope.current();
        if (scope == null) {
            throw new IllegalStateException("No distributed lock is held by this thread. If the method"
                    + " is annotated with @DistributedLocked, it was called past its Spring proxy: call it through"
                    + " the bean, not through 'this'.");
        }
        LockHandle handle = scope.handle();
        if (handle.isHeld()) {
            return;
        }
        handle.throwIfLost();
        if (Objects.isNull(handle.name())) {
            throw new IllegalStateException("The handle of this thread has no name and is not held. If it is a mock,"
                    + " stub its isHeld() to return true.");
        }
        throw new IllegalStateException("The lock '" + LockNames.show(handle.name()) + "' was released before "
                + (scope.isOpenHere()
                        ? "the end of the work under it. Do not close the handle in a locked method or in execute. (Of"
                                + " several locks, one with whenLost = IGNORE may have been lost.)"
                        : "this thread, which works for its holder, had ended. Let the locked method"
                                + " wait for the work that it hands to other threads."));
    }
}
