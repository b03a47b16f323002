/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * For methods that return a publisher: the lock is acquired on each subscription, for as long as that lasts. The method
 * itself is called under the lock, so its work before it returns is locked too. Requires Reactor.
 */
final class PublisherAdapter implements ReturnTypeAdapter {

    private final ReactiveAdapter type;

    PublisherAdapter(ReactiveAdapter type) {
        this.type = type;
    }

    /** For a function that Spring calls as a Flux, if it returns a Flow, or as a Mono. */
    static PublisherAdapter ofSuspending(boolean ofMany) {
        Class<?> type = ofMany ? Flux.class : Mono.class;
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null) {
            throw new IllegalStateException("Reactor is not known to Spring");
        }
        return new PublisherAdapter(adapter);
    }

    @Override
    public @Nullable Object invoke(LockedCall call) {
        return publisherOf(new PublisherInvocation(call, type), type);
    }

    /** A publisher of that type, each subscription of which is the work under its lock. */
    static Object publisherOf(ReactiveWork work, ReactiveAdapter type) {
        return type.fromPublisher(type.isMultiValue() ? new LockedFlux(work) : LockedMono.of(work));
    }
}
