/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockScope;
import io.distributedlock.reactive.ReactiveLocks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * The locks around a reactive transaction, which are not released before it has completed.
 *
 * <p>The transaction completes before the end of its publisher, so usually nothing has to wait. A cancellation is
 * different: Spring begins the rollback, or the commit if the work had just ended, and no operator waits for it. Any
 * operator may cancel, after the locked method or inside of it ({@code next()}, {@code zip}, {@code timeout}), so also
 * a call that ends normally may leave a transaction behind. So each transaction counts as
 * {@linkplain LockScope#beginWork work} of every lock around it, from the subscription to its work until it has
 * completed, and the end of a call waits for that without a thread.
 *
 * <ul>
 *   <li>Cancelled while the transaction begins: there is nothing to commit, and the release does not wait. If the begin
 *       has succeeded at the same moment, the work is cancelled before it is requested, and an empty transaction is
 *       rolled back without the lock.
 *   <li>Cancelled later: the registration precedes the subscription to the work, and so the completion. One that came
 *       after the completion would keep the lock for ever.
 *   <li>Several transactions, in sequence, in parallel or nested with {@code REQUIRES_NEW}: each counts for each lock
 *       around it, also for one that a transaction further outside keeps.
 *   <li>A commit that does not end: the lock is held and renewed, as it is without a cancellation, until its
 *       {@code maxHold} has passed, it is taken away, or the transaction was garbage collected.
 *   <li>A loss meanwhile: the transaction goes on, and the caller does not wait for it.
 * </ul>
 *
 * <p>A lock inside of a transaction must not be registered there: it would wait for a transaction that waits for it. So
 * the first method that meets a transaction without a registration registers all locks around itself, and each lock
 * counts as such a method, before its own scope is in the context. By induction, no scope that is found is inside.
 */
final class EnclosingLocks implements TransactionSynchronization, Ordered {

    private final List<LockScope> scopes;

    private EnclosingLocks(List<LockScope> scopes) {
        this.scopes = scopes;
    }

    /**
     * Registers the locks around the transaction of the subscription with this context, if there is one and nothing is
     * registered yet.
     *
     * @param inside whether locks that are not kept by the transaction may follow inside of it
     */
    static void register(ContextView context, boolean inside) {
        TransactionSynchronizationManager manager = ReactiveTransactions.managerOf(context);
        if (manager != null) {
            register(manager, context, inside);
        }
    }

    static void register(TransactionSynchronizationManager manager, ContextView context, boolean inside) {
        if (!manager.isActualTransactionActive()
                || manager.getSynchronizations().stream().anyMatch(EnclosingLocks::isRegistration)) {
            return;
        }
        List<LockScope> around = new ArrayList<>();
        begin(ReactiveLocks.scopeOf(context), around);
        begin(SubscriberScope.of(context), around);
        if (inside || !around.isEmpty()) {
            manager.registerSynchronization(new EnclosingLocks(around));
        }
    }

    /** A lock that a transaction keeps was the first inside of it. */
    private static boolean isRegistration(TransactionSynchronization known) {
        return known instanceof EnclosingLocks || known instanceof ReactiveTransactions;
    }

    private static void begin(@Nullable LockScope innermost, List<LockScope> around) {
        for (LockScope scope = innermost; scope != null; scope = scope.outer()) {
            if (!around.contains(scope) && scope.beginWork()) {
                around.add(scope);
            }
        }
    }

    /** After the callbacks of the application. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
        return Mono.fromRunnable(() -> scopes.forEach(LockScope::endWork));
    }
}
