/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.annotation;

/**
 * What a call does when another caller holds the lock and the wait is over.
 *
 * @since 0.1.0
 */
public enum WhenBusy {

    /**
     * Fails with {@link io.distributedlock.LockNotAcquiredException}: a method that returns a future or a publisher
     * fails through it, every other method throws.
     */
    THROW,

    /**
     * Ends without running the method. The result has no value: {@code null}, or {@link java.util.Optional#empty()} for
     * an {@code Optional}, or an empty stream; a future completes with {@code null}, or with {@code Optional.empty()}
     * for a future of an {@code Optional}; a publisher completes empty. Refused at start-up for methods that return a
     * primitive other than {@code void}, or a publisher that cannot be empty.
     */
    SKIP
}
