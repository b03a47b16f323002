/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * The id of the calling thread's trace. Spring Boot's tracing writes it to SLF4J's log context as {@code traceId}.
 * SLF4J is called by a method handle, since it is optional.
 */
final class TraceId {

    private static final @Nullable MethodHandle LOG_CONTEXT = logContext();

    private TraceId() {}

    private static @Nullable MethodHandle logContext() {
        try {
            Class<?> type = Class.forName("org.slf4j.MDC", true, TraceId.class.getClassLoader());
            return MethodHandles.publicLookup()
                    .findStatic(type, "get", MethodType.methodType(String.class, String.class));
        } catch (ReflectiveOperationException | LinkageError ex) {
            return null;
        }
    }

    static @Nullable String current() {
        MethodHandle get = LOG_CONTEXT;
        if (get == null) {
            return null;
        }
        try {
            return (String) get.invokeExact("traceId");
        } catch (Throwable ex) {
            return null;
        }
    }
}
