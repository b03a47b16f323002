/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * A method that an interface or an abstract class does not have, which is all that the definition of its bean tells.
 * The class has it, or not, when the bean exists.
 */
final class LateFallback implements Fallback {

    private final FallbackBean bean;

    private final SingletonSupplier<FallbackMethod> found;

    /** @param search in the class of the bean, which it creates if need be */
    LateFallback(FallbackBean bean, Supplier<FallbackMethod> search) {
        this.bean = bean;
        this.found = SingletonSupplier.of(search);
    }

    @Override
    public @Nullable Object call(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy)
            throws Throwable {
        return found.obtain().call(target, arguments, busy);
    }

    @Override
    public void requireOffered() {
        if (bean.isCreated()) {
            found.obtain().requireOffered();
        }
    }
}
