/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.annotation;

/**
 * What a call does when its lock was lost while its work ran. If the work itself fails, that failure is thrown. The
 * work of a method that returns a future or a publisher ends with that one.
 *
 * @since 0.1.0
 */
public enum WhenLost {

    /**
     * Fails with {@link io.distributedlock.LockLostException} once the work has ended normally: the method throws it,
     * or its future or publisher fails with it.
     */
    THROW,

    /**
     * Stops the work as well, once, as soon as the loss is known: interrupts the thread that runs the method, cancels
     * the future or the subscription that the method has returned. The interrupt is over when the caller sees the
     * outcome: work that ends with an {@link InterruptedException}, a cancellation or the like because of it fails with
     * {@link io.distributedlock.LockLostException} instead.
     */
    INTERRUPT,

    /**
     * Returns the result of the work; the loss is only logged and published as an event. Transactions inside the method
     * still commit.
     */
    IGNORE
}
