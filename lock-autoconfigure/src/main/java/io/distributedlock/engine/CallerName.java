/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockNames;
import org.jspecify.annotations.Nullable;

/** The name of a caller for operators. A virtual thread normally has an empty name, and is shown by its id. */
final class CallerName {

    private static final String VIRTUAL = "java.lang.VirtualThread";

    private CallerName() {}

    /** Without quotes, as given. */
    static String of(@Nullable Object owner) {
        return owner instanceof Thread thread ? of(thread) : "asynchronous";
    }

    private static String of(Thread thread) {
        return thread.getName().isEmpty() ? idOf(thread) : thread.getName();
    }

    /** Java 17 has no method that determines whether a thread is virtual. */
    private static String idOf(Thread thread) {
        return (thread.getClass().getName().equals(VIRTUAL) ? "virtual thread #" : "thread #") + thread.getId();
    }

    /** As a part of a line in the log. */
    static String inLog(@Nullable Object owner) {
        return owner instanceof Thread thread ? inLog(thread) : "an asynchronous caller";
    }

    static String inLog(Thread thread) {
        return thread.getName().isEmpty() ? idOf(thread) : "thread '" + LockNames.show(thread.getName()) + "'";
    }
}
