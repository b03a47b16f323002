/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Work to be done under a lock.
 *
 * @param <T> what it returns
 * @param <E> what it throws; inferred as {@link RuntimeException} for a lambda that throws nothing checked
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

    T run(LockHandle handle) throws E;
}
