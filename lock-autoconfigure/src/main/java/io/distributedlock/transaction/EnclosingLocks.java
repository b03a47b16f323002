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
 *   <li>A loss meanwhile: the transaction goes on, and the caller does not wait for it, unless the loss is ignored.
 *   <li>Cancelled together with a transaction of its own inside: the lock outlasts the outer one. If that completes
 *       first, the lock does not wait for the inner one, whose end nobody reports reliably.
 * </ul>
 *
 * <p>A lock inside of a transaction must not be registered there: it would wait for a transaction that waits for it. So
 * the first method that meets a transaction without a registration registers all locks around itself, and each lock
 * counts as such a method, before its own scope is in the context. By induction, no scope that is found is inside.
 */
final class EnclosingLocks extends TransactionRegistration {

    private final List<LockScope> scopes;

    private final ReactiveCommitCheck check = new ReactiveCommitCheck();

    private EnclosingLocks(@Nullable TransactionBoundary boundary, List<LockScope> scopes) {
        super(boundary);
        this.scopes = scopes;
    }

    /** Registers the locks around the transaction of a publisher that is inside of it, unless it only takes part. */
    static void enter(ContextView context) {
        TransactionBoundary boundary = TransactionBoundary.of(context);
        if (boundary != null) {
            boundary.enter();
        }
        TransactionSynchronizationManager manager = ReactiveTransactions.managerOf(context);
        if (manager != null && !isRegistered(manager)) {
            EnclosingLocks locks = new EnclosingLocks(boundary, around(manager, context));
            if (boundary != null) {
                boundary.begin(locks);
            }
            register(locks, manager);
        }
    }

    /**
     * Lets a loss of the locks around the transaction stop its commit. For a publisher that is inside of it.
     *
     * @return to be called at the end of the publisher; without effect if there is no transaction, or no lock around it
     */
    static ReactiveCommitCheck checkCommit(ContextView context) {
        enter(context);
        TransactionSynchronizationManager manager = ReactiveTransactions.managerOf(context);
        if (manager != null) {
            for (TransactionSynchronization each : manager.getSynchronizations()) {
                if (each instanceof EnclosingLocks locks) {
                    locks.check.enable();
                    return locks.check;
                }
            }
        }
        return new ReactiveCommitCheck();
    }

    /**
     * Registers the locks around the transaction of the subscription with this context, if there is one and nothing is
     * registered yet.
     */
    static void register(ContextView context) {
        TransactionSynchronizationManager manager = ReactiveTransactions.managerOf(context);
        if (manager != null) {
            register(manager, context, true);
        }
    }

    /**
     * The first registration of a transaction that has a boundary is that of {@link #enter}, so this one has none.
     *
     * @param inside whether locks that are not kept by the transaction may follow inside of it
     */
    static void register(TransactionSynchronizationManager manager, ContextView context, boolean inside) {
        if (!isRegistered(manager)) {
            List<LockScope> around = around(manager, context);
            if (inside || !around.isEmpty()) {
                register(new EnclosingLocks(null, around), manager);
            }
        }
    }

    private static void register(EnclosingLocks locks, TransactionSynchronizationManager manager) {
        boolean registered = false;
        try {
            registered = locks.registerWith(manager);
        } finally {
            if (!registered) {
                locks.scopes.forEach(LockScope::endWork);
            }
        }
    }

    /** A lock that a transaction keeps was the first inside of it. */
    private static boolean isRegistered(TransactionSynchronizationManager manager) {
        return manager.getSynchronizations().stream().anyMatch(TransactionRegistration.class::isInstance);
    }

    /** Begins work of the locks. Without an actual transaction, nothing is committed under them. */
    private static List<LockScope> around(TransactionSynchronizationManager manager, ContextView context) {
        List<LockScope> around = new ArrayList<>();
        if (manager.isActualTransactionActive()) {
            begin(ReactiveLocks.scopeOf(context), around);
            begin(SubscriberScope.of(context), around);
        }
        return around;
    }

    private static void begin(@Nullable LockScope innermost, List<LockScope> around) {
        for (LockScope scope = innermost; scope != null; scope = scope.outer()) {
            if (!around.contains(scope) && scope.beginWork()) {
                around.add(scope);
            }
        }
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return Mono.fromRunnable(() -> check.throwIfLost(scopes));
    }

    @Override
    Mono<Void> completed() {
        return Mono.fromRunnable(() -> scopes.forEach(LockScope::endWork));
    }
}
