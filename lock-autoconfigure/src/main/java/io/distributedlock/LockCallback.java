/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock.
 *
 * @param <T> its result
 * @param <E> its exception; inferred as {@link RuntimeException} for a lambda without checked exceptions
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

    /**
     * Runs in the thread that has acquired the lock. The lock is released when it has returned or thrown.
     *
     * @param handle the hold, also available as {@link LockHandle#current()}; it need not be closed
     * @return the result, which {@link LockOperations#execute} returns
     * @throws E passed on to the caller
     */
    T run(LockHandle handle) throws E;
}
