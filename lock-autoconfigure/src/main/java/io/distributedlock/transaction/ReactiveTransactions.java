/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Keeps a lock that was acquired inside of a reactive transaction until that transaction has completed. A lock that was
 * lost by then stops the commit.
 */
public final class ReactiveTransactions implements TransactionSynchronization, Ordered {

    private static final Log log = LogFactory.getLog(ReactiveTransactions.class);

    private final LockHandle handle;

    private final boolean lossMatters;

    private ReactiveTransactions(LockHandle handle, boolean lossMatters) {
        this.handle = handle;
        this.lossMatters = lossMatters;
    }

    /**
     * Leaves the closing of the handle to the transaction of the subscription that has this context.
     *
     * @param ownTransaction the name of the transaction that the work under the lock has for itself, null if it has
     *     none
     * @return false if there is no transaction to leave it to
     */
    public static boolean keep(
            LockHandle handle, boolean lossMatters, @Nullable String ownTransaction, ContextView context) {
        Mono<Boolean> kept = TransactionSynchronizationManager.forCurrentTransaction()
                .map(manager -> new ReactiveTransactions(handle, lossMatters).registeredIn(manager, ownTransaction))
                .onErrorReturn(NoTransactionException.class, false)
                .contextWrite(context);
        return Boolean.TRUE.equals(kept.toFuture().getNow(false));
    }

    private boolean registeredIn(TransactionSynchronizationManager manager, @Nullable String ownTransaction) {
        boolean around = manager.isActualTransactionActive()
                && manager.isSynchronizationActive()
                && (ownTransaction == null || ownTransaction.equals(manager.getCurrentTransactionName()));
        if (around) {
            manager.registerSynchronization(this);
        }
        return around;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return lossMatters ? Mono.fromRunnable(handle::throwIfLost) : Mono.empty();
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
        return Mono.defer(() -> Mono.fromCompletionStage(handle.closeAsync())).onErrorResume(failure -> {
            log.warn("After the transaction around it had ended: " + failure.getMessage());
            return Mono.empty();
        });
    }
}
