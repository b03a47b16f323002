/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Determines the lock names of a call. */
interface LockNameResolver {

    /**
     * All names, at least one.
     *
     * @throws IllegalArgumentException if the call has no valid name
     */
    List<String> all(@Nullable Object target, @Nullable Object[] arguments);

    /** The first name. */
    default String of(@Nullable Object target, @Nullable Object[] arguments) {
        return all(target, arguments).get(0);
    }

    /** The same names for every call. */
    static LockNameResolver fixed(List<String> names) {
        return (target, arguments) -> names;
    }

    /** The exception for a call without a valid name. */
    static IllegalArgumentException none(LockedMethod where, String key, RuntimeException cause) {
        String reason = cause.getClass() == IllegalArgumentException.class
                ? String.valueOf(cause.getMessage())
                : "cannot be evaluated: " + cause.getMessage();
        int longest = 300;
        String shown = reason.length() <= longest ? reason : reason.substring(0, longest) + "…";
        return new IllegalArgumentException("No lock name for %s: the key %s %s".formatted(where, key, shown), cause);
    }
}
