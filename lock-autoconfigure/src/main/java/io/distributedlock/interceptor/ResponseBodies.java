/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/**
 * Publishers in a {@link ResponseEntity}, which the web framework subscribes to later. Needs spring-web and Reactor.
 */
final class ResponseBodies {

    /** Whether responses are possible at all. */
    static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.http.ResponseEntity", ResponseBodies.class.getClassLoader());

    private ResponseBodies() {}

    /**
     * The same response with a body that is held, if it is a response and its body a publisher; otherwise the value
     * itself.
     *
     * @param holding creates the body that holds the lock; called at most once
     */
    static Object hold(Object value, Function<Publisher<Object>, LockedResponseBody> holding) {
        if (!(value instanceof ResponseEntity<?> response)) {
            return value;
        }
        Object body = response.getBody();
        ReactiveAdapter type = body == null ? null : typeOf(body.getClass());
        if (body == null || type == null || !type.getDescriptor().isDeferred()) {
            return value;
        }
        Object held = PublisherAdapter.publisherOf(holding.apply(type.toPublisher(body)), type);
        return new ResponseEntity<>(held, response.getHeaders(), response.getStatusCode());
    }

    /** The most specific type: a Multi of Mutiny is a Flow.Publisher too, but must stay a Multi. */
    private static @Nullable ReactiveAdapter typeOf(Class<?> body) {
        ReactiveAdapter found = ReactiveAdapterRegistry.getSharedInstance().getAdapter(body);
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(body)) {
            ReactiveAdapter other = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
            if (found != null && other != null && isMoreSpecial(other, found)) {
                found = other;
            }
        }
        return found;
    }

    private static boolean isMoreSpecial(ReactiveAdapter type, ReactiveAdapter than) {
        return type.getReactiveType() != than.getReactiveType()
                && than.getReactiveType().isAssignableFrom(type.getReactiveType());
    }
}
