/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Generates the key of a call in code, if an expression is not sufficient. A bean of this type is named by
 * {@link io.distributedlock.annotation.DistributedLocked#keyGenerator()}. It is called by many threads at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeyGenerator {

    /**
     * The key of one call, by the same rules as the value of a key expression: a string, number, enum, UUID or similar
     * value is one lock; a collection, array or stream of them is several. If the generator throws an exception, the
     * caller gets it, and the method is not run.
     *
     * @param target the bean, without its proxy
     * @param method the method of the bean's class
     * @param arguments the arguments of the call; must not be changed
     * @return the key. Null, blank, an empty collection and a value without a text of its own are refused with an
     *     {@link IllegalArgumentException}, and the method is not run
     */
    @Nullable
    Object generate(@Nullable Object target, Method method, @Nullable Object... arguments);
}
