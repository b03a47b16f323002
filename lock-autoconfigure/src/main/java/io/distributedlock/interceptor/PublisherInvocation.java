/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOwner;
import io.distributedlock.LockScope;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.transaction.ReactiveTransactions;
import io.distributedlock.transaction.WorkInTransaction;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.util.context.ContextView;

/** A call that returns a publisher of any kind, adapted to one of Reactor. May be repeated. */
record PublisherInvocation(LockedCall call, ReturnTypeAdapter.Body body, ReactiveAdapter type) implements ReactiveWork {

    PublisherInvocation(LockedCall call, ReactiveAdapter type) {
        this(call, call.body().repeatable(), type);
    }

    @Override
    public CallPolicy policy() {
        return call.policy();
    }

    /** It may enter the locks of the subscription, and those that a transaction around it keeps. */
    @Override
    public LockOwner ownerIn(ContextView context) {
        LockOwner owner = ReactiveLocks.nestedIn(context);
        return mayKeep() ? ReactiveTransactions.nested(TransactionSupport.nested(owner), context) : owner;
    }

    @Override
    public CompletionStage<LockHandle> acquire(LockOwner owner) {
        return call.wanted().acquireAsync(request -> request.logicalOwner(owner));
    }

    @Override
    public @Nullable WorkInTransaction keep(LockScope scope, ContextView context) {
        if (mayKeep()) {
            return ReactiveTransactions.keep(scope, policy().lossMatters(), policy().separate(), context);
        }
        if (TransactionSupport.PRESENT) {
            ReactiveTransactions.pass(context);
        }
        return null;
    }

    /** No transaction keeps it yet. */
    @Override
    public void releaseUnused(LockHandle handle) {
        CallOutcome.closeUnused(handle);
    }

    private boolean mayKeep() {
        return policy().keptUntilCompletion() && TransactionSupport.PRESENT;
    }

    /** A publisher of several values is refused at the start if they are responses. */
    @Override
    public boolean goesOnInResponse() {
        return !type.isMultiValue();
    }

    @Override
    public Publisher<Object> proceed(ContextView context) throws Throwable {
        Object returned = body.proceed();
        if (returned == null) {
            throw new IllegalStateException("The method that runs under the lock returned null instead of a "
                    + type.getReactiveType().getSimpleName());
        }
        LockScope scope = ReactiveLocks.scopeOf(context);
        if (scope != null && policy().interrupts() && isDeferred()) {
            Coroutines.cancelOnInterruptingLoss(returned, scope.handle());
        }
        Publisher<Object> publisher = type.toPublisher(returned);
        return TransactionSupport.PRESENT
                ? ReactiveTransactions.insideOfLock(publisher, type.isMultiValue(), context)
                : publisher;
    }

    private boolean isDeferred() {
        return type.getReactiveType().getName().equals("kotlinx.coroutines.Deferred");
    }

    @Override
    public @Nullable Publisher<Object> insteadOfCall(LockNotAcquiredException busy) throws Throwable {
        Object instead = call.insteadOfCall(busy);
        return instead == null || call.skips(busy) ? null : type.toPublisher(instead);
    }
}
