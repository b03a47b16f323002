/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * A subscription that is there before its publisher is subscribed to. A cancellation reaches the publisher even while
 * that emits in the call that requests its first values; Reactor's own passes it on only when that call has returned,
 * so a publisher without an end would never stop.
 */
abstract class DeferredUpstream implements Subscription {

    private volatile @Nullable Subscription subscription;

    /** Before there is a subscription. */
    @GuardedBy("this")
    private long requested;

    @GuardedBy("this")
    private boolean cancelled;

    /** Passes a request on to the publisher. */
    abstract void request(Subscription publisher, long n);

    void set(Subscription actual) {
        long demand;
        synchronized (this) {
            boolean wanted = !cancelled && subscription == null;
            demand = wanted ? requested : -1;
            subscription = wanted ? actual : subscription;
        }
        if (demand < 0) {
            actual.cancel();
        } else if (demand > 0) {
            request(actual, demand);
        }
    }

    @Override
    public void request(long n) {
        Subscription actual = subscription;
        if (actual == null) {
            actual = subscriptionOrDefer(n);
        }
        if (actual != null) {
            request(actual, n);
        }
    }

    private synchronized @Nullable Subscription subscriptionOrDefer(long n) {
        Subscription actual = subscription;
        if (actual == null) {
            requested = Operators.addCap(requested, n);
        }
        return actual;
    }

    @Override
    public void cancel() {
        Subscription actual;
        synchronized (this) {
            actual = cancelled ? null : subscription;
            cancelled = true;
        }
        if (actual != null) {
            actual.cancel();
        }
    }
}
