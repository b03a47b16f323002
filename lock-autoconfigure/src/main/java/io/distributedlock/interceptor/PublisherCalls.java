/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * When the work of a publisher under a lock is over. Its first end counts: that of the publisher, a loss that
 * interrupts, or a cancellation. The publisher may still run then in calls of this library on several threads: in the
 * subscription, a request or a cancellation. The consequences of the end, such as the release of the lock, follow when
 * the last of these calls has returned, since code of the method runs until then.
 *
 * <p>A base class and no part of {@link ReactiveCall}, since each object counts in a subscription that waits.
 */
abstract class PublisherCalls {

    /**
     * Of the work under the lock.
     *
     * @param delivered whether the downstream gets it
     */
    record End(boolean delivered, @Nullable Throwable failure) {

        static final End CANCELLATION = new End(false, null);

        static final End SUCCESS = new End(true, null);

        static End of(@Nullable Throwable failure) {
            return failure == null ? SUCCESS : new End(true, failure);
        }

        boolean isSuccess() {
            return delivered && failure == null;
        }
    }

    /** Those that have not returned. */
    @GuardedBy("this")
    private int calls;

    @GuardedBy("this")
    private @Nullable End end;

    /** Whether the consequences of the end have begun. */
    @GuardedBy("this")
    private boolean concluded;

    /** The consequences of the end. Called once, without the monitor. */
    abstract void conclude(End last);

    final synchronized void beginCall() {
        calls++;
    }

    /** The same for the first call; false if the work has ended before it. */
    final synchronized boolean beginFirstCall() {
        boolean mayBegin = end == null;
        calls += mayBegin ? 1 : 0;
        return mayBegin;
    }

    /** To be called once for each call, whatever its outcome is. */
    final void endCall() {
        End last;
        synchronized (this) {
            calls--;
            last = concluded || calls > 0 ? null : end;
            concluded |= last != null;
        }
        if (last != null) {
            conclude(last);
        }
    }

    /** @return false if the work has ended before */
    final boolean end(End reported) {
        synchronized (this) {
            if (end != null) {
                return false;
            }
            end = reported;
            calls++;
        }
        endCall();
        return true;
    }

    final synchronized boolean isConcluded() {
        return concluded;
    }
}
