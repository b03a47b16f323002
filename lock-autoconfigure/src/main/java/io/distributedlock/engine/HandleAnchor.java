/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The object that all handles of a hold share and the engine refers to only weakly: so it exists as long as a handle is
 * reachable. It has the callbacks too, since a callback nearly always refers to its handle and would keep that
 * reachable for ever.
 */
final class HandleAnchor {

    private record Callback(DefaultLockHandle handle, Runnable work) {}

    @GuardedBy("this")
    private @Nullable List<Callback> callbacks;

    /**
     * A hold that ends takes its callbacks after that, so none is added that nobody takes.
     *
     * @return false if the hold has ended
     */
    synchronized boolean add(Hold hold, DefaultLockHandle handle, Runnable work) {
        if (hold.hasEnded()) {
            return false;
        }
        callbacks = callbacks == null ? new ArrayList<>(1) : callbacks;
        callbacks.add(new Callback(handle, work));
        return true;
    }

    /** The handle was closed. */
    synchronized void drop(DefaultLockHandle handle) {
        if (callbacks != null) {
            callbacks.removeIf(callback -> callback.handle == handle);
        }
    }

    /** The hold has ended. Returns the callbacks for a loss. */
    synchronized List<Runnable> end() {
        List<Runnable> work = callbacks == null
                ? List.of()
                : callbacks.stream().map(Callback::work).toList();
        callbacks = null;
        return work;
    }
}
