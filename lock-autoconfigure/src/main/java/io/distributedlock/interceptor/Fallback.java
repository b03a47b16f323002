/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/** What is called instead of a method whose lock is busy. */
interface Fallback {

    /** The result of the fallback; of a suspending function, a publisher of it. */
    @Nullable
    Object call(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy) throws Throwable;

    /**
     * Checks the bean of the fallback and its proxy, if they exist by now.
     *
     * @throws InvalidLockedMethodException if they do not have the method
     */
    void requireOffered();
}
