/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.reactive;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The lock of a reactive subscription, which is in its Reactor context: operators of a locked method can access it on
 * whatever thread they run. All methods are safe for use by several threads.
 *
 * @since 0.1.0
 */
public final class ReactiveLocks {

    /** The key in a context, from which Micrometer's context propagation takes it to the threads. */
    static final String KEY = "io.distributedlock.lock";

    /** Must be closed by the thread that opened it. */
    @FunctionalInterface
    public interface Shown extends AutoCloseable {

        @Override
        void close();
    }

    private ReactiveLocks() {}

    /**
     * The innermost hold of the annotated method whose subscription has this context. Use it with
     * {@code Mono.deferContextual}, {@code Flux.handle} and similar operators.
     *
     * @param context the context of the subscription
     * @return empty outside annotated methods
     */
    public static Optional<LockHandle> current(ContextView context) {
        return Optional.ofNullable(scopeOf(context)).map(LockScope::handle);
    }

    /**
     * A new owner for work of the subscription that has this context: it enters the locks that are held there. Without
     * any, it belongs to the work of the calling thread. Branches that run in parallel need an owner each.
     *
     * @param context the context of the subscription
     * @return the owner, for {@link io.distributedlock.LockRequest#logicalOwner}
     */
    public static LockOwner nestedIn(ContextView context) {
        LockScope scope = scopeOf(context);
        LockOwner owner = scope == null ? null : scope.ownerOfSubscription();
        return owner == null ? LockOwner.nestedInCurrent() : owner.nested();
    }

    /**
     * A context with this hold as the current one, whose loss matters. For code that acquires locks in a subscription
     * itself, which also has to release the hold.
     *
     * @param context the context of the subscription
     * @param handle the hold
     * @param owner the owner that the hold was acquired with
     * @return the new context
     */
    public static Context with(Context context, LockHandle handle, LockOwner owner) {
        return with(context, handle, owner, true);
    }

    /**
     * A context with this hold as the current one. A context without a scope gets that of the calling thread around it.
     *
     * @param context the context of the subscription
     * @param handle the hold
     * @param owner the owner that the hold was acquired with
     * @param lossMatters false if {@link #throwIfLost} skips the hold
     * @return the new context
     */
    public static Context with(Context context, LockHandle handle, LockOwner owner, boolean lossMatters) {
        return with(context, handle, owner, lossMatters, LockScope.current());
    }

    /**
     * A context with this hold as the current one.
     *
     * @param context the context of the subscription
     * @param handle the hold
     * @param owner the owner that the hold was acquired with
     * @param lossMatters false if {@link #throwIfLost} skips the hold
     * @param subscriber the scope of the thread that has subscribed, which is around the subscription if the context
     *     has none; or null
     * @return the new context
     */
    public static Context with(
            Context context, LockHandle handle, LockOwner owner, boolean lossMatters, @Nullable LockScope subscriber) {
        LockScope around = scopeOf(context);
        LockScope outer = around == null ? subscriber : around;
        return context.put(KEY, LockScope.ofSubscription(handle, lossMatters, owner, outer));
    }

    /**
     * Checks all holds of the subscription with this context, by the local clock. Does nothing if there is none.
     *
     * @param context the context of the subscription
     * @throws io.distributedlock.LockLostException if one of them was lost and its loss is not ignored
     */
    public static void throwIfLost(ContextView context) {
        LockScope scope = scopeOf(context);
        if (scope != null) {
            scope.throwIfAnyLost();
        }
    }

    /**
     * Makes the lock of this context current in the calling thread; none, if the context has none.
     *
     * @param context the context of the subscription
     * @return restores what was current before; the calling thread has to close it
     */
    public static Shown show(ContextView context) {
        LockScope before = LockScope.current();
        LockScope.show(scopeOf(context));
        return () -> LockScope.show(before);
    }

    /**
     * Runs a signal to operators outside the subscription with this context: its lock is not current in the calling
     * thread while the signal runs.
     *
     * @param context the context of the subscription
     * @param signal runs at once, in the calling thread
     */
    public static void runOutside(ContextView context, Runnable signal) {
        LockScope shown = LockScope.current();
        if (shown == null || shown != scopeOf(context)) {
            signal.run();
            return;
        }
        LockScope.show(shown.outer());
        try {
            signal.run();
        } finally {
            LockScope.show(shown);
        }
    }

    /**
     * Runs a signal of operators outside the subscription with this context, such as a request for values: the lock is
     * current in the calling thread while the signal runs. A thread that is in another lock than the one directly
     * outside is left as it is.
     *
     * @param context the context of the subscription
     * @param signal runs at once, in the calling thread
     */
    public static void runInside(ContextView context, Runnable signal) {
        LockScope inside = scopeOf(context);
        LockScope before = LockScope.current();
        if (inside == null || (before != null && before != inside.outer())) {
            signal.run();
            return;
        }
        LockScope.show(inside);
        try {
            signal.run();
        } finally {
            LockScope.show(before);
        }
    }

    /**
     * The innermost scope of the subscription with this context. For code that intercepts subscriptions itself.
     *
     * @param context the context of the subscription
     * @return null outside annotated methods
     */
    public static @Nullable LockScope scopeOf(ContextView context) {
        return context.<LockScope>getOrEmpty(KEY).orElse(null);
    }
}
