/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.annotation.DistributedLocked;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * The hints for a native image: the scripts, the annotation, the root of key expressions, and the connection factory.
 */
final class LockRuntimeHints implements RuntimeHintsRegistrar {

    private static final String EXPRESSION_ROOT = "io.distributedlock.interceptor.LockExpressionRootObject";

    /** The library reads its configuration, for which it has no getter. */
    private static final String CONNECTION_FACTORY =
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("io/distributedlock/redis/*.lua")
                .registerPattern("io/distributedlock/redis/include/*.lua");
        for (Class<?> annotation :
                new Class<?>[] {DistributedLocked.class, DistributedLocked.List.class, DistributedLocked.None.class}) {
            hints.reflection().registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS);
            hints.proxies().registerJdkProxy(annotation);
        }
        hints.reflection().registerType(TypeReference.of(EXPRESSION_ROOT), MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection()
                .registerTypeIfPresent(classLoader, CONNECTION_FACTORY, MemberCategory.ACCESS_DECLARED_FIELDS);
    }
}
