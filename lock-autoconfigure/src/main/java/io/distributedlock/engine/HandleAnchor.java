/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all handles of a hold share and the engine only refers to weakly: so it is there as long as a handle can be
 * reached. It keeps the callbacks too, since a callback nearly always refers to its handle and would keep that
 * reachable for ever.
 */
final class HandleAnchor {

    private record Callback(DefaultLockHandle handle, Runnable work) {}

    private @Nullable List<Callback> callbacks;

    private boolean ended;

    /** @return false if the hold has ended */
    synchronized boolean add(DefaultLockHandle handle, Runnable work) {
        if (!ended) {
            callbacks = callbacks == null ? new ArrayList<>(1) : callbacks;
            callbacks.add(new Callback(handle, work));
        }
        return !ended;
    }

    /** The handle was closed. */
    synchronized void drop(DefaultLockHandle handle) {
        if (callbacks != null) {
            callbacks.removeIf(callback -> callback.handle == handle);
        }
    }

    /** The hold has ended. Gives what was to be run if it is lost. */
    synchronized List<Runnable> end() {
        List<Callback> known = callbacks;
        callbacks = null;
        ended = true;
        return known == null ? List.of() : known.stream().map(Callback::work).toList();
    }
}
