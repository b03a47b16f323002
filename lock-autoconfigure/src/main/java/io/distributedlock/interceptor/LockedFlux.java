/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** A Flux each subscription of which is a {@link ReactiveCall}. Demand is passed on to the method's publisher. */
final class LockedFlux extends Flux<Object> {

    private final ReactiveWork work;

    LockedFlux(ReactiveWork work) {
        this.work = work;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Object> actual) {
        // A loss that interrupts arrives on another thread than the values.
        CoreSubscriber<? super Object> subscriber = work.policy().interrupts() ? Operators.serialize(actual) : actual;
        ReactiveCall call = new ReactiveCall(work, new Values(subscriber));
        subscriber.onSubscribe(new Demand(call));
        call.start();
    }

    private record Values(CoreSubscriber<? super Object> subscriber) implements ReactiveCall.Downstream {

        @Override
        public Context context() {
            return subscriber.currentContext();
        }

        @Override
        public void next(Object value) {
            subscriber.onNext(value);
        }

        @Override
        public void end(@Nullable Throwable failure) {
            if (failure == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(failure);
            }
        }
    }

    private record Demand(ReactiveCall call) implements Subscription {

        @Override
        public void request(long n) {
            if (Operators.validate(n)) {
                call.request(n);
            }
        }

        @Override
        public void cancel() {
            call.cancel();
        }
    }
}
