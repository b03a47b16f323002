/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** The handles of a {@link LockView}, by thread. A thread that holds nothing has no entry. */
final class ViewHandles {

    private static final int FEW = 16;

    @GuardedBy("this")
    private final IdentityHashMap<Thread, Deque<LockHandle>> byThread = new IdentityHashMap<>();

    /** At which size threads that have ended without unlocking are removed. */
    @GuardedBy("this")
    private int fullAt = FEW;

    synchronized void push(LockHandle handle) {
        if (byThread.size() >= fullAt) {
            byThread.keySet().removeIf(thread -> !thread.isAlive());
            fullAt = Math.max(FEW, 2 * byThread.size());
        }
        byThread.computeIfAbsent(Thread.currentThread(), thread -> new ArrayDeque<>(1))
                .addFirst(handle);
    }

    /** The latest handle of this thread, or null. */
    synchronized @Nullable LockHandle pop() {
        Thread thread = Thread.currentThread();
        Deque<LockHandle> its = byThread.get(thread);
        LockHandle latest = its == null ? null : its.pollFirst();
        if (its != null && its.isEmpty()) {
            byThread.remove(thread);
        }
        return latest;
    }

    /** The number of threads that have entries. */
    synchronized int size() {
        return byThread.size();
    }
}
