/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.lang.reflect.Method;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code @Transactional} methods that return a publisher, and suspending functions. */
final class ReactiveMethods {

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    private static final String DEFERRED = "kotlinx.coroutines.Deferred";

    private ReactiveMethods() {}

    static boolean isTransactional(Method method, Class<?> targetClass) {
        return adapterOf(method) != null && TransactionAttributes.of(method, targetClass) != null;
    }

    /** Calls the method, and changes the publisher that it returns. */
    static @Nullable Object call(
            MethodInvocation call, UnaryOperator<Mono<Object>> one, UnaryOperator<Flux<Object>> many) throws Throwable {
        Object result = call.proceed();
        ReactiveAdapter adapter = adapterOf(call.getMethod());
        if (result == null || adapter == null) {
            return result;
        }
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? many.apply(Flux.from(adapter.toPublisher(result)))
                        : one.apply(Mono.from(adapter.toPublisher(result))));
    }

    private static @Nullable ReactiveAdapter adapterOf(Method method) {
        Class<?> type = publisherOf(method);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null && adapter.getReactiveType() == type && isPublisher(adapter) ? adapter : null;
    }

    /**
     * Not a future, nor a Deferred, although Spring knows it as a publisher: their work has begun already, without a
     * Reactor context, and a copy ends with its cancellation, before the work does.
     */
    private static boolean isPublisher(ReactiveAdapter adapter) {
        return adapter.getDescriptor().isDeferred()
                && !adapter.getReactiveType().getName().equals(DEFERRED);
    }

    /** Spring calls a suspending function as a Flux, if it returns a Flow, or as a Mono. */
    private static Class<?> publisherOf(Method method) {
        if (!KotlinDetector.isSuspendingFunction(method)) {
            return method.getReturnType();
        }
        Class<?> result = new MethodParameter(method, -1).getParameterType();
        return result.getName().equals(FLOW) ? Flux.class : Mono.class;
    }
}
