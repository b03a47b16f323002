/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * What ends when a reactive transaction has completed, once. Spring's {@code afterCompletion} alone does not suffice.
 *
 * <ul>
 *   <li>A transaction whose publisher ends: the end of its {@linkplain TransactionBoundary boundary} counts as well.
 *   <li>A transaction that is cancelled together with one of its own inside, such as {@code REQUIRES_NEW}: both have
 *       one {@link TransactionSynchronizationManager}. If the outer one completes first, it takes the registrations of
 *       the inner one for its own. So a registration that is called for another boundary ends that of the other one
 *       too. Nothing reliable reports the end of the inner transaction then: its own fails on the synchronizations that
 *       are not there any more.
 *   <li>The same, but the outer one completes while the inner one frees its connection: Spring resumes the outer one
 *       afterwards, whose synchronizations are no longer active, and no caller completes this registration.
 *   <li>A transaction that does not identify itself, such as that of a {@code TransactionalOperator} inside of this
 *       one: when Spring resumes this one after its cancellation, it may have completed before or not. The end comes at
 *       once: too early, rather than never.
 * </ul>
 */
abstract class TransactionRegistration implements TransactionSynchronization, Ordered {

    /** Of this transaction; null if no boundary is known. */
    private final @Nullable TransactionBoundary boundary;

    private final AtomicBoolean ended = new AtomicBoolean();

    private volatile boolean suspended;

    TransactionRegistration(@Nullable TransactionBoundary boundary) {
        this.boundary = boundary;
    }

    /** The transaction has completed. Called once. */
    abstract Mono<Void> completed();

    /**
     * Registers this. A transaction that completes meanwhile, on another thread, may not call it.
     *
     * @return false if it will not be called, so that the caller has to end what has begun
     */
    final boolean registerWith(TransactionSynchronizationManager manager) {
        boolean registered = false;
        try {
            manager.registerSynchronization(this);
            registered = (boundary == null || boundary.add(this)) && isKnownTo(manager);
        } finally {
            if (!registered) {
                registered = !claim();
            }
        }
        return registered;
    }

    private boolean isKnownTo(TransactionSynchronizationManager manager) {
        return manager.isSynchronizationActive()
                && manager.getSynchronizations().contains(this);
    }

    private boolean claim() {
        boolean claimed = ended.compareAndSet(false, true);
        if (claimed && boundary != null) {
            boundary.remove(this);
        }
        return claimed;
    }

    /** The transaction will complete without a commit. */
    void rolledBack() {}

    final Mono<Void> end() {
        return Mono.defer(() -> claim() ? completed() : Mono.empty());
    }

    final boolean isSuspended() {
        return suspended;
    }

    /** After the callbacks of the application. */
    @Override
    public final int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public final Mono<Void> suspend() {
        return Mono.fromRunnable(() -> suspended = true);
    }

    @Override
    public final Mono<Void> resume() {
        return Mono.deferContextual(context -> {
            suspended = false;
            // All at once: Spring does not resume the next one if it cannot register this one again.
            if (boundary != null && mayRemainUncalled(boundary, context)) {
                boundary.end();
            }
            return Mono.empty();
        });
    }

    private static boolean mayRemainUncalled(TransactionBoundary boundary, ContextView context) {
        if (!boundary.isCancelled()) {
            return false;
        }
        TransactionBoundary inside = TransactionBoundary.of(context);
        return inside == null
                || inside == boundary
                || !inside.hasBegun()
                || ReactiveTransactions.managerOf(context) == null;
    }

    @Override
    public final Mono<Void> afterCompletion(int status) {
        return Mono.deferContextual(context -> {
            TransactionBoundary of = TransactionBoundary.of(context);
            if (boundary != null && of != null && of != boundary) {
                of.end();
            }
            if (status != STATUS_COMMITTED) {
                rolledBack();
            }
            return end();
        });
    }
}
