/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockScope;
import io.distributedlock.reactive.ReactiveLocks;
import java.io.Serial;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Fails the publisher of a {@code @Transactional} method at its end if a lock around it was lost, so that its
 * transaction is rolled back; also that of a suspending function. It has the order of the transaction's own advice and
 * is registered after it, so it is inside. Transactions of other kinds, such as {@code TransactionalOperator}, are not
 * guarded against the loss of a lock around them.
 */
public final class ReactiveCommitGuard extends StaticMethodMatcherPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** The key of the innermost scope of the subscribing thread in the context. */
    private static final String SUBSCRIBER = "io.distributedlock.transaction.subscriber";

    /** After Spring's own advice that has to be the first. */
    private static final int OUTSIDE = Ordered.HIGHEST_PRECEDENCE + 2;

    /** Creates the advisor. */
    public ReactiveCommitGuard() {
        setAdvice((MethodInterceptor) ReactiveCommitGuard::invoke);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return isGuarded(method, targetClass);
    }

    private static boolean isGuarded(Method method, Class<?> targetClass) {
        return adapterOf(method) != null && TransactionAttributes.of(method, targetClass) != null;
    }

    private static @Nullable ReactiveAdapter adapterOf(Method method) {
        Class<?> type = publisherOf(method);
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null && adapter.getReactiveType() == type ? adapter : null;
    }

    /** Spring calls a suspending function as a Flux, if it returns a Flow, or as a Mono. */
    private static Class<?> publisherOf(Method method) {
        if (!KotlinDetector.isSuspendingFunction(method)) {
            return method.getReturnType();
        }
        Class<?> result = new MethodParameter(method, -1).getParameterType();
        return result.getName().equals(FLOW) ? Flux.class : Mono.class;
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
        return Flux.deferContextual(context -> work.doOnComplete(() -> throwIfLost(context)));
    }

    private static Mono<Object> guarded(Mono<Object> work) {
        return Mono.deferContextual(context -> work.doOnSuccess(value -> throwIfLost(context)));
    }

    private static void throwIfLost(ContextView context) {
        ReactiveLocks.throwIfLost(context);
        LockScope subscriber = context.getOrDefault(SUBSCRIBER, null);
        if (subscriber != null) {
            subscriber.throwIfAnyLost();
        }
    }

    /**
     * Remembers the locks of the thread that subscribes, outside the transaction, which may begin on another thread.
     *
     * @return the advisor that the guard needs for locks of methods that are no publishers
     */
    public static Advisor subscriberScope() {
        return new SubscriberScope();
    }

    private static @Nullable Object rememberSubscriber(MethodInvocation call) throws Throwable {
        Object result = call.proceed();
        ReactiveAdapter adapter = adapterOf(call.getMethod());
        if (result == null || adapter == null) {
            return result;
        }
        Publisher<Object> work = adapter.toPublisher(result);
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? Flux.defer(() -> Flux.from(work).contextWrite(withSubscriber()))
                        : Mono.defer(() -> Mono.from(work).contextWrite(withSubscriber())));
    }

    private static Context withSubscriber() {
        LockScope scope = LockScope.current();
        return scope == null ? Context.empty() : Context.of(SUBSCRIBER, scope);
    }

    private static final class SubscriberScope extends StaticMethodMatcherPointcutAdvisor {

        @Serial
        private static final long serialVersionUID = 1L;

        SubscriberScope() {
            setAdvice((MethodInterceptor) ReactiveCommitGuard::rememberSubscriber);
            setOrder(OUTSIDE);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return isGuarded(method, targetClass);
        }
    }
}
