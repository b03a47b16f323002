/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.reactive;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The lock of a reactive subscription, which travels in its Reactor context: operators of a locked method see it on
 * whatever thread they run. All methods are safe for use by several threads.
 */
public final class ReactiveLocks {

    private record Held(
            LockHandle handle,
            LockOwner owner,
            boolean lossMatters,
            @Nullable Held outer) {}

    private ReactiveLocks() {}

    /**
     * The innermost hold of the annotated method whose subscription has this context. To be used with
     * {@code Mono.deferContextual}, {@code Flux.handle} and the like.
     *
     * @return empty outside of annotated methods
     */
    public static Optional<LockHandle> current(ContextView context) {
        return context.<Held>getOrEmpty(Held.class).map(Held::handle);
    }

    /**
     * A new owner for work of the subscription that has this context: it enters the locks that are held there. Without
     * any, it belongs to what the calling thread runs.
     */
    public static LockOwner nestedIn(ContextView context) {
        return context.<Held>getOrEmpty(Held.class)
                .map(held -> held.owner().nested())
                .orElseGet(LockOwner::nestedInCurrent);
    }

    /**
     * A context with this hold as the current one. For those who acquire locks in a subscription themselves.
     *
     * @param owner the owner that the hold was acquired with
     */
    public static Context with(Context context, LockHandle handle, LockOwner owner) {
        return with(context, handle, owner, true);
    }

    /** The same; {@link #throwIfLost} passes over the hold if its loss does not matter. */
    public static Context with(Context context, LockHandle handle, LockOwner owner, boolean lossMatters) {
        Held outer = context.<Held>getOrEmpty(Held.class).orElse(null);
        return context.put(Held.class, new Held(handle, owner, lossMatters, outer));
    }

    /**
     * Looks at all holds that the subscription with this context is in.
     *
     * @throws io.distributedlock.LockLostException if one of them was lost whose loss matters
     */
    public static void throwIfLost(ContextView context) {
        for (Held held = context.<Held>getOrEmpty(Held.class).orElse(null); held != null; held = held.outer()) {
            if (held.lossMatters()) {
                held.handle().throwIfLost();
            }
        }
    }
}
