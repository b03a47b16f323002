package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/** Makes the lock name of a call. */
interface LockName {

    /** @throws IllegalArgumentException if the call makes no name */
    String of(@Nullable Object target, @Nullable Object[] arguments);

    /** The same name for every call. */
    static LockName fixed(String name) {
        return (target, arguments) -> name;
    }
}
