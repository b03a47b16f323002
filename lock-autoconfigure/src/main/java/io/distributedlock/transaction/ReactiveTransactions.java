/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.composite.ReleaseStages;
import java.util.List;
import java.util.function.BooleanSupplier;
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

    private final KeptLock lock;

    private volatile boolean workEnded;

    private ReactiveTransactions(KeptLock lock) {
        this.lock = lock;
    }

    /**
     * Passes the closing of the handle to the transaction of the subscription with this context.
     *
     * @param separate whether the work under the lock takes no part in that transaction
     * @return called when the work under the lock has ended: from then on, other work of the transaction may enter the
     *     lock. Null if there is no such transaction
     */
    public static @Nullable Runnable keep(
            LockHandle handle, boolean lossMatters, BooleanSupplier separate, ContextView context) {
        KeptLock lock = new KeptLock(handle, lossMatters);
        TransactionSynchronizationManager manager = managerOf(context);
        if (manager == null
                || !manager.isActualTransactionActive()
                || separate.getAsBoolean()
                || keptBy(manager).anyMatch(kept -> kept.lock.covers(lock))) {
            return null;
        }
        ReactiveTransactions kept = new ReactiveTransactions(lock);
        manager.registerSynchronization(kept);
        return () -> kept.workEnded = true;
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
                        .map(kept -> kept.lock.handle())
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

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
        return Mono.fromRunnable(lock::throwIfLost);
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
        return Mono.defer(() -> Mono.fromCompletionStage(ReleaseStages.close(lock.handle())))
                .onErrorResume(failure -> {
                    log.warn("After the end of the enclosing transaction: " + failure.getMessage());
                    return Mono.empty();
                });
    }
}
