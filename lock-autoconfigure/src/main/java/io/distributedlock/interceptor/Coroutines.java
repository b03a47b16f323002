/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockScope;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;

/**
 * Propagates the current lock of a suspending function to the threads that run its coroutine, and the loss of a lock to
 * the coroutine of a {@code Deferred}. Requires Kotlin's coroutines.
 */
final class Coroutines {

    private Coroutines() {}

    /** The arguments of a suspending function, so that its coroutine is in the current lock of the calling thread. */
    static @Nullable Object[] inCurrentLock(@Nullable Object[] arguments) {
        LockScope scope = LockScope.current();
        int last = arguments.length - 1;
        if (scope == null || !(arguments[last] instanceof Continuation<?> caller)) {
            return arguments;
        }
        @Nullable Object[] changed = arguments.clone();
        changed[last] = new InLock(caller, caller.getContext().plus(new ShownScope(scope)));
        return changed;
    }

    /**
     * Calls a method in the place of a suspending function.
     *
     * @param continuation of the call; a suspending method runs in its context, and in the current lock
     * @return a publisher of the result, or null if there is none
     */
    static @Nullable Object publisherOf(
            Method method, @Nullable Object target, @Nullable Object[] arguments, @Nullable Object continuation)
            throws Throwable {
        if (KotlinDetector.isSuspendingFunction(method)) {
            @Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = continuation;
            return AopUtils.invokeJoinpointUsingReflection(target, method, inCurrentLock(all));
        }
        Object result = AopUtils.invokeJoinpointUsingReflection(target, method, arguments);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
        if (adapter == null) {
            return result == null ? null : Mono.just(result);
        }
        return adapter.toPublisher(result);
    }

    /** Cancels what the method has begun, whose publisher only waits for it, if the lock is lost. */
    static void cancelOnInterruptingLoss(Object returned, LockHandle handle) {
        if (returned instanceof Job begun) {
            MultiLockHandle.onInterruptingLoss(
                    handle, () -> begun.cancel(new CancellationException("The lock was lost")));
        }
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

    /** Its scope, with those around it, is in the place of the one that an outer function has shown. */
    private static final class ShownScope extends AbstractCoroutineContextElement
            implements ThreadContextElement<@Nullable LockScope> {

        private static final ScopeKey KEY = new ScopeKey();

        private final LockScope scope;

        ShownScope(LockScope scope) {
            super(KEY);
            this.scope = scope;
        }

        @Override
        public @Nullable LockScope updateThreadContext(CoroutineContext context) {
            LockScope before = LockScope.current();
            LockScope.show(scope);
            return before;
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, @Nullable LockScope before) {
            LockScope.show(before);
        }
    }

    private static final class ScopeKey implements CoroutineContext.Key<ShownScope> {}
}
