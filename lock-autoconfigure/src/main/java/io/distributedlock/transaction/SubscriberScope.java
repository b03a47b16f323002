/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockScope;
import java.io.Serial;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Remembers the locks of the thread that subscribes to the publisher of a {@code @Transactional} method, outside the
 * transaction, which may begin on another thread. So methods that are no publishers have their locks around it too.
 * Also adds the {@linkplain TransactionBoundary boundary}, and registers the locks around the transaction of the
 * subscriber, so that a registration shows whether the method takes part in that one.
 */
final class SubscriberScope extends StaticMethodMatcherPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The key of the innermost scope of the subscribing thread in the context. */
    private static final String SUBSCRIBER = "io.distributedlock.transaction.subscriber";

    /** After Spring's own advice that has to be the first. */
    private static final int OUTSIDE = Ordered.HIGHEST_PRECEDENCE + 2;

    SubscriberScope() {
        setAdvice((MethodInterceptor) SubscriberScope::invoke);
        setOrder(OUTSIDE);
    }

    /** Null if the subscribing thread was in no scope. */
    static @Nullable LockScope of(ContextView context) {
        return context.getOrDefault(SUBSCRIBER, null);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return ReactiveMethods.isTransactional(method, targetClass);
    }

    private static @Nullable Object invoke(MethodInvocation call) throws Throwable {
        return ReactiveMethods.call(
                call,
                work -> Mono.deferContextual(
                        around -> TransactionBoundary.around(work).contextWrite(withSubscriber(around))),
                work -> Flux.deferContextual(
                        around -> TransactionBoundary.around(work).contextWrite(withSubscriber(around))));
    }

    private static Context withSubscriber(ContextView around) {
        // The transaction of the subscriber, if there is one, is not inside the locks of the thread.
        EnclosingLocks.register(around);
        LockScope scope = LockScope.current();
        return scope == null ? Context.empty() : Context.of(SUBSCRIBER, scope);
    }
}
