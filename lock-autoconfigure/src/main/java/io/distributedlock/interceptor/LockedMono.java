/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The subscriber of a Mono, which gets the value after the release. From then on the sink passes no cancellation on, so
 * a subscriber that cancels on the value can still subscribe to the publisher in it.
 */
final class LockedMono implements ReactiveCall.Downstream {

    private final MonoSink<Object> sink;

    private final AtomicReference<@Nullable Object> value = new AtomicReference<>();

    /** Whether no value is delivered any more: the Mono was cancelled or has failed, as by a loss that interrupts. */
    private volatile boolean undeliverable;

    private LockedMono(MonoSink<Object> sink) {
        this.sink = sink;
    }

    static Mono<Object> of(ReactiveWork work) {
        return Mono.create(sink -> {
            LockedMono subscriber = new LockedMono(sink);
            ReactiveCall subscription = new ReactiveCall(work, subscriber);
            sink.onCancel(() -> {
                subscription.cancel();
                subscriber.discardAll();
            });
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
        if (!value.compareAndSet(null, first)) {
            Operators.onDiscard(first, context());
        }
        if (undeliverable) {
            discard();
        }
    }

    private void discardAll() {
        undeliverable = true;
        discard();
    }

    /** The value is not delivered, so an application that gave it resources has to know. */
    private void discard() {
        Object undelivered = value.getAndSet(null);
        if (undelivered != null) {
            Operators.onDiscard(undelivered, context());
        }
    }

    @Override
    public void end(@Nullable Throwable failure) {
        if (failure != null) {
            discardAll();
            sink.error(failure);
            return;
        }
        Object result = value.getAndSet(null);
        if (result != null) {
            sink.success(result);
        } else {
            sink.success();
        }
    }
}
