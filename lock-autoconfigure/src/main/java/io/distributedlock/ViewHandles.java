/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The handles of a {@link LockView}, by thread. They are reachable only while both the view and the thread exist, since
 * the lease of a handle that is reachable is renewed: the thread refers to them, and they are removed from it when the
 * view is garbage collected.
 */
final class ViewHandles {

    private static final Cleaner CLEANER = Cleaner.create();

    @SuppressWarnings("ThreadLocalUsage") // The handles of one view.
    private final ThreadLocal<@Nullable OfThread> ofThread = new ThreadLocal<>();

    private final Set<OfThread> all = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    ViewHandles() {
        CLEANER.register(this, removal(all));
    }

    /** Must not refer to the view. */
    private static Runnable removal(Set<OfThread> all) {
        return () -> {
            synchronized (all) {
                all.forEach(OfThread::clear);
            }
        };
    }

    void push(LockHandle handle) {
        try {
            ofThisThread().push(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private OfThread ofThisThread() {
        OfThread known = ofThread.get();
        if (known != null) {
            return known;
        }
        OfThread its = new OfThread();
        all.add(its);
        ofThread.set(its);
        return its;
    }

    /** The latest handle of this thread, or null. */
    @Nullable
    LockHandle pop() {
        OfThread its = ofThread.get();
        if (its == null) {
            return null;
        }
        LockHandle latest = its.pop();
        if (its.isEmpty()) {
            ofThread.remove();
            all.remove(its);
        }
        return latest;
    }

    /** The number of threads that have handles. */
    int size() {
        return all.size();
    }

    /** The latest is first. Compared by identity. */
    private static final class OfThread {

        @GuardedBy("this")
        private final Deque<LockHandle> handles = new ArrayDeque<>(1);

        synchronized void push(LockHandle handle) {
            handles.addFirst(handle);
        }

        synchronized @Nullable LockHandle pop() {
            return handles.pollFirst();
        }

        synchronized boolean isEmpty() {
            return handles.isEmpty();
        }

        synchronized void clear() {
            handles.clear();
        }
    }
}
