/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

/**
 * The subscriber of a Mono, which gets the value after the release. From then on the sink passes no cancellation on, so
 * a subscriber that cancels on the value can still subscribe to the publisher in it.
 */
final class LockedMono implements ReactiveCall.Downstream {

    private final MonoSink<Object> sink;

    private volatile @Nullable Object value;

    private LockedMono(MonoSink<Object> sink) {
        this.sink = sink;
    }

    static Mono<Object> of(ReactiveWork work) {
        return Mono.create(sink -> {
            ReactiveCall subscription = new ReactiveCall(work, new LockedMono(sink));
            sink.onCancel(subscription::cancel);
            subscription.request(Long.MAX_VALUE);
            subscription.start();
        });
    }

    @Override
    public Context context() {
        return Context.of(sink.contextView());
    }

    @Override
    public void next(Object first) {
        if (value == null) {
            value = first;
        }
    }

    @Override
    public void end(@Nullable Throwable failure) {
        Object result = value;
        if (failure != null) {
            sink.error(failure);
        } else if (result != null) {
            sink.success(result);
        } else {
            sink.success();
        }
    }
}
