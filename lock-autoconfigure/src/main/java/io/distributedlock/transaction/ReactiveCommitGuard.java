/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.reactive.ReactiveLocks;
import java.io.Serial;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Fails the publisher of a {@code @Transactional} method at its end if a lock around it was lost, so that its
 * transaction is rolled back. It has the order of the transaction's own advice and is registered after it, so it is
 * inside. Transactions of other kinds, such as {@code TransactionalOperator}, are not guarded against the loss of a
 * lock around them.
 */
public final class ReactiveCommitGuard extends StaticMethodMatcherPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final TransactionAttributeSource ATTRIBUTES = new AnnotationTransactionAttributeSource(false);

    /** Creates the advisor. */
    public ReactiveCommitGuard() {
        setAdvice((MethodInterceptor) ReactiveCommitGuard::invoke);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return adapterOf(method) != null && ATTRIBUTES.getTransactionAttribute(method, targetClass) != null;
    }

    private static @Nullable ReactiveAdapter adapterOf(Method method) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        return adapter != null && adapter.getReactiveType() == method.getReturnType() ? adapter : null;
    }

    private static @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object result = call.proceed();
        ReactiveAdapter adapter = adapterOf(call.getMethod());
        if (result == null || adapter == null) {
            return result;
        }
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? guarded(Flux.from(adapter.toPublisher(result)))
                        : guarded(Mono.from(adapter.toPublisher(result))));
    }

    private static Flux<Object> guarded(Flux<Object> work) {
        return Flux.deferContextual(context -> work.doOnComplete(() -> ReactiveLocks.throwIfLost(context)));
    }

    private static Mono<Object> guarded(Mono<Object> work) {
        return Mono.deferContextual(context -> work.doOnSuccess(value -> ReactiveLocks.throwIfLost(context)));
    }
}
