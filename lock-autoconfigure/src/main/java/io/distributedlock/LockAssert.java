/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * Tells code that must run under a lock whether it does, so that a proxy that was bypassed is found in the first test.
 */
public final class LockAssert {

    private LockAssert() {}

    /**
     * Passes if the calling thread runs inside an annotated method or {@link LockOperations#execute execute} and the
     * innermost hold has not been lost.
     *
     * @throws IllegalStateException if there is no such hold
     * @throws LockLostException if it was lost
     */
    public static void assertLocked() {
        LockHandle.current()
                .orElseThrow(() -> new IllegalStateException("No distributed lock is held by this thread. If the method"
                        + " is annotated with @DistributedLocked, it was called past its Spring proxy: call it through"
                        + " the bean, not through 'this'."))
                .throwIfLost();
    }
}
