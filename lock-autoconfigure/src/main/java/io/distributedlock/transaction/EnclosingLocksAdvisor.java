/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.io.Serial;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Registers the locks around the transaction of a {@code @Transactional} method that returns a publisher. It is inside
 * of the transaction, like {@link ReactiveCommitGuard}.
 */
final class EnclosingLocksAdvisor extends StaticMethodMatcherPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    EnclosingLocksAdvisor() {
        setAdvice((MethodInterceptor) EnclosingLocksAdvisor::invoke);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return ReactiveMethods.isTransactional(method, targetClass);
    }

    private static @Nullable Object invoke(MethodInvocation call) throws Throwable {
        return ReactiveMethods.call(
                call,
                work -> Mono.deferContextual(context -> registered(work, context)),
                work -> Flux.deferContextual(context -> registered(work, context)));
    }

    /** Before the subscription to the work, so before any cancellation that the transaction learns of. */
    private static <T extends Publisher<Object>> T registered(T work, ContextView context) {
        EnclosingLocks.enter(context);
        return work;
    }
}
