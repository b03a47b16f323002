/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.composite.CompositeLockHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The holds of several names, as one. */
final class LockSetHandle extends CompositeLockHandle {

    /** In global order. */
    private final List<DefaultLockHandle> parts;

    LockSetHandle(List<DefaultLockHandle> parts) {
        super(parts);
        this.parts = parts;
    }

    /** The calling thread waits for the replies itself, so it needs no thread of callbacks. */
    @Override
    public void close() {
        throwAsOne(release(parts, DefaultLockHandle::beginClose));
    }

    /**
     * Releases all in the reverse order: sends all releases before it waits for the first reply. A release that fails,
     * for lack of stack for example, does not keep the others.
     *
     * @return the failures
     */
    static List<Throwable> release(
            List<DefaultLockHandle> held, Function<DefaultLockHandle, @Nullable Runnable> begin) {
        List<Throwable> failures = new ArrayList<>();
        List<Runnable> ends = new ArrayList<>();
        for (int i = held.size() - 1; i >= 0; i--) {
            try {
                Runnable end = begin.apply(held.get(i));
                if (end != null) {
                    ends.add(end);
                }
            } catch (RuntimeException | Error ex) {
                failures.add(ex);
            }
        }
        for (Runnable end : ends) {
            try {
                end.run();
            } catch (RuntimeException | Error ex) {
                failures.add(ex);
            }
        }
        return failures;
    }
}
