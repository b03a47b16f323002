/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the current lock of a suspending function to the threads that run its coroutine. Requires Kotlin's
 * coroutines.
 */
final class Coroutines {

    private Coroutines() {}

    /** The arguments of a suspending function, so that its coroutine is in the current lock of the calling thread. */
    static @Nullable Object[] inCurrentLock(@Nullable Object[] arguments) {
        LockHandle handle = LockHandle.current().orElse(null);
        LockOwner owner = LockScope.owner();
        int last = arguments.length - 1;
        if (handle == null || owner == null || !(arguments[last] instanceof Continuation<?> caller)) {
            return arguments;
        }
        @Nullable Object[] changed = arguments.clone();
        changed[last] = new InLock(caller, caller.getContext().plus(new Scope(handle, owner)));
        return changed;
    }

    /** Only its context is used: the result goes through the publisher that Spring creates for the function. */
    private record InLock(Continuation<?> caller, CoroutineContext context) implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        @SuppressWarnings("unchecked") // The caller takes what the function returns.
        public void resumeWith(Object result) {
            ((Continuation<Object>) caller).resumeWith(result);
        }
    }

    private static final class Scope extends AbstractCoroutineContextElement
            implements ThreadContextElement<LockScope> {

        private static final ScopeKey KEY = new ScopeKey();

        private final LockHandle handle;

        private final LockOwner owner;

        Scope(LockHandle handle, LockOwner owner) {
            super(KEY);
            this.handle = handle;
            this.owner = owner;
        }

        @Override
        public LockScope updateThreadContext(CoroutineContext context) {
            return LockScope.open(handle, true, owner);
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, LockScope opened) {
            opened.close();
        }
    }

    private static final class ScopeKey implements CoroutineContext.Key<Scope> {}
}
