/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.reactive;

import io.distributedlock.LockScope;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the current hold by Micrometer's context propagation, which discovers this class: from the Reactor context
 * of a locked method to the threads that run its operators, and from the thread of a call to others, which can access
 * its hold but do not enter its lock.
 *
 * @since 0.1.0
 */
public final class LockThreadLocalAccessor implements ThreadLocalAccessor<LockScope> {

    /** For Micrometer, which needs a public constructor. */
    public LockThreadLocalAccessor() {}

    @Override
    public Object key() {
        return ReactiveLocks.KEY;
    }

    @Override
    public @Nullable LockScope getValue() {
        return LockScope.current();
    }

    @Override
    public void setValue(LockScope scope) {
        LockScope.show(scope);
    }

    @Override
    public void setValue() {
        LockScope.show(null);
    }

    @Override
    public void restore(LockScope previous) {
        LockScope.show(previous);
    }

    @Override
    public void restore() {
        LockScope.show(null);
    }
}
