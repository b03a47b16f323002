/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.transaction.ReactiveTransactions;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.util.context.ContextView;

/** A call that returns a publisher of any kind, as one of Reactor's kind. May be made again and again. */
record PublisherBody(LockedCall call, ReturnTypeAdapter.Body body, ReactiveAdapter type) {

    PublisherBody(LockedCall call, ReactiveAdapter type) {
        this(call, call.body().repeatable(), type);
    }

    /** The owner of a subscription: it may enter what that is in, and what a transaction around it keeps. */
    LockOwner newOwner(ContextView context) {
        LockOwner owner = ReactiveLocks.nestedIn(context);
        return call.policy().keptUntilCompletion() && Transactions.PRESENT
                ? ReactiveTransactions.nested(Transactions.nested(owner), context)
                : owner;
    }

    Publisher<Object> proceed() throws Throwable {
        Object returned = body.proceed();
        if (returned == null) {
            throw new IllegalStateException("The method that runs under the lock returned null instead of a "
                    + type.getReactiveType().getSimpleName());
        }
        return type.toPublisher(returned);
    }

    /** What to subscribe to instead, null for nothing. */
    @Nullable
    Publisher<Object> insteadOfCall(LockNotAcquiredException busy) throws Throwable {
        Object instead = call.insteadOfCall(busy);
        return instead == null || call.policy().skips() ? null : type.toPublisher(instead);
    }
}
