/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
 * Keeps a lock that was acquired inside a reactive transaction until that transaction has completed. A lock that was
 * lost by then stops the commit.
 */
public final class ReactiveTransactions implements TransactionSynchronization, Ordered {

    private static final Log log = LogFactory.getLog(ReactiveTransactions.class);

    private final LockHandle handle;

    private final boolean lossMatters;

    private volatile boolean workEnded;

    private ReactiveTransactions(LockHandle handle, boolean lossMatters) {
        this.handle = handle;
        this.lossMatters = lossMatters;
    }

    /**
     * Passes the closing of the handle to the transaction of the subscription with this context.
     *
     * @param ownTransaction the name of the own transaction of the work under the lock, null if it has none
     * @return called when the work under the lock has ended: from then on, other work of the transaction may enter the
     *     lock. Null if there is no such transaction
     */
    public static @Nullable Runnable keep(
            LockHandle handle, boolean lossMatters, Supplier<@Nullable String> ownTransaction, ContextView context) {
        TransactionSynchronizationManager manager = managerOf(context);
        if (manager == null
                || !manager.isActualTransactionActive()
                || isOfCaller(manager, ownTransaction.get())
                || keptBy(manager).anyMatch(kept -> kept.covers(handle, lossMatters))) {
            return null;
        }
        ReactiveTransactions kept = new ReactiveTransactions(handle, lossMatters);
        manager.registerSynchronization(kept);
        return () -> kept.workEnded = true;
    }

    /** Whether the method has a transaction of its own, and this is another one. */
    private static boolean isOfCaller(TransactionSynchronizationManager manager, @Nullable String ownTransaction) {
        return ownTransaction != null && !ownTransaction.equals(manager.getCurrentTransactionName());
    }

    /**
     * An owner that may also enter the locks that the transaction of the subscription with this context keeps. Locks
     * under which other work still runs are excluded: parallel branches exclude each other.
     */
    public static LockOwner nested(LockOwner owner, ContextView context) {
        TransactionSynchronizationManager manager = managerOf(context);
        List<LockHandle> entered = manager == null
                ? List.of()
                : keptBy(manager)
                        .filter(kept -> kept.workEnded)
                        .map(kept -> kept.handle)
                        .toList();
        return entered.isEmpty() ? owner : owner.nestedIn(entered);
    }

    /** Null outside of transactions. */
    private static @Nullable TransactionSynchronizationManager managerOf(ContextView context) {
        Mono<TransactionSynchronizationManager> current = TransactionSynchronizationManager.forCurrentTransaction()
                .filter(TransactionSynchronizationManager::isSynchronizationActive)
                .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                .contextWrite(context);
        return current.toFuture().getNow(null);
    }

    private static Stream<ReactiveTransactions> keptBy(TransactionSynchronizationManager manager) {
        return manager.getSynchronizations().stream()
                .filter(ReactiveTransactions.class::isInstance)
                .map(ReactiveTransactions.class::cast);
    }

    /** Whether that handle is another entry into the same hold, which ends with this one. */
    private boolean covers(LockHandle other, boolean otherLossMatters) {
        return (lossMatters || !otherLossMatters) && handle.fencingTokens().equals(other.fencingTokens());
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
            log.warn("After the end of the enclosing transaction: " + failure.getMessage());
            return Mono.empty();
        });
    }
}
