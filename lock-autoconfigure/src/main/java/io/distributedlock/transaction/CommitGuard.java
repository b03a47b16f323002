/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockScope;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stops the commit of a transaction that runs under a lock which was lost meanwhile: the transaction is rolled back,
 * and {@link io.distributedlock.LockLostException} gives the reason. Checks all locked methods and
 * {@link io.distributedlock.LockOperations#execute execute} calls around the commit in the committing thread and all
 * locks that the transaction keeps, except those that ignore the loss, by the local clock, without a request to Redis.
 */
public final class CommitGuard implements TransactionExecutionListener {

    /**
     * Called after all other callbacks before the commit; its exception rolls back. (JPA flushes in the commit itself,
     * so after this.)
     */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        throwIfLost();
    }

    static void throwIfLost() {
        LockScope.throwIfLost();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof LockReleaseSynchronization kept) {
                    kept.throwIfLost();
                }
            }
        }
    }
}
