/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;

/** A call that returns a publisher of any kind, as one of Reactor's kind. May be made again and again. */
record PublisherBody(LockedCall call, ReturnTypeAdapter.Body body, ReactiveAdapter type) {

    PublisherBody(LockedCall call, ReactiveAdapter type) {
        this(call, call.body().repeatable(), type);
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
