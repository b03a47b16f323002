/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.composite.CompositeLockHandle;
import java.util.ArrayList;
import java.util.List;

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
        List<Runnable> ends = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            Runnable end = parts.get(i).beginClose();
            if (end != null) {
                ends.add(end);
            }
        }
        List<Throwable> failures = new ArrayList<>();
        for (Runnable end : ends) {
            try {
                end.run();
            } catch (RuntimeException ex) {
                failures.add(ex);
            }
        }
        throwAsOne(failures);
    }
}
