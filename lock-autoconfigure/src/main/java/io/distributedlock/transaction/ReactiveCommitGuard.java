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
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Fails the publisher of a {@code @Transactional} method at its end if a lock around it was lost, so that its
 * transaction is rolled back; also that of a suspending function. Spring commits after some failures, by its rules for
 * the rollback, so the locks are checked before the commit as well. It has the order of the transaction's own advice
 * and is registered after it, so it is inside. Transactions of other kinds, such as {@code TransactionalOperator}, are
 * not guarded against the loss of a lock around them.
 *
 * @since 0.1.0
 */
public final class ReactiveCommitGuard extends StaticMethodMatcherPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the advisor. */
    public ReactiveCommitGuard() {
        setAdvice((MethodInterceptor) ReactiveCommitGuard::invoke);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return ReactiveMethods.isTransactional(method, targetClass);
    }

    private static @Nullable Object invoke(MethodInvocation call) throws Throwable {
        return ReactiveMethods.call(call, ReactiveCommitGuard::guarded, ReactiveCommitGuard::guarded);
    }

    private static Flux<Object> guarded(Flux<Object> work) {
        return Flux.deferContextual(context -> {
            ReactiveCommitCheck check = EnclosingLocks.checkCommit(context);
            return work.doOnError(check::ended).doOnComplete(() -> {
                check.ended(null);
                throwIfLost(context);
            });
        });
    }

    private static Mono<Object> guarded(Mono<Object> work) {
        return Mono.deferContextual(context -> {
            ReactiveCommitCheck check = EnclosingLocks.checkCommit(context);
            return work.doOnError(check::ended).doOnSuccess(value -> {
                check.ended(null);
                throwIfLost(context);
            });
        });
    }

    private static void throwIfLost(ContextView context) {
        ReactiveLocks.throwIfLost(context);
        LockScope subscriber = SubscriberScope.of(context);
        if (subscriber != null) {
            subscriber.throwIfAnyLost();
        }
    }
}
