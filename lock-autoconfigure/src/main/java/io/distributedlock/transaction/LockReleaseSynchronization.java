/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps the locks that were acquired inside of a transaction until that transaction has completed, so that the next
 * holder sees what was committed. A lock that was lost by then stops the commit. The locks are released together: if
 * Redis does not answer, the caller waits for one command time-out, not for one each.
 */
public final class LockReleaseSynchronization implements TransactionSynchronization {

    private static final Log log = LogFactory.getLog(LockReleaseSynchronization.class);

    private record Kept(LockHandle handle, boolean lossMatters) {}

    /** The latest first. */
    private final Deque<Kept> locks = new ArrayDeque<>();

    private LockReleaseSynchronization() {}

    /**
     * Leaves the closing of the handle to the transaction that the calling thread is in.
     *
     * @param ownTransaction the name of the transaction that the work under the lock has for itself, null if it has
     *     none. Such work does not matter to any other transaction around it
     * @return false if there is no transaction to leave it to
     */
    public static boolean deferRelease(LockHandle handle, boolean lossMatters, @Nullable String ownTransaction) {
        if (ownTransaction != null
                && !ownTransaction.equals(TransactionSynchronizationManager.getCurrentTransactionName())) {
            return false;
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        ofThisTransaction().locks.push(new Kept(handle, lossMatters));
        return true;
    }

    private static LockReleaseSynchronization ofThisTransaction() {
        for (TransactionSynchronization known : TransactionSynchronizationManager.getSynchronizations()) {
            if (known instanceof LockReleaseSynchronization surrounding) {
                return surrounding;
            }
        }
        LockReleaseSynchronization first = new LockReleaseSynchronization();
        TransactionSynchronizationManager.registerSynchronization(first);
        return first;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    /** For managers that take no listeners; all others have a {@link CommitGuard}, which comes later. */
    @Override
    public void beforeCommit(boolean readOnly) {
        throwIfLost();
    }

    void throwIfLost() {
        for (Kept kept : locks) {
            if (kept.lossMatters) {
                kept.handle.throwIfLost();
            }
        }
    }

    /** Starts all releases before it waits for the first. */
    @Override
    public void afterCompletion(int status) {
        List<CompletableFuture<Void>> releases = new ArrayList<>(locks.size());
        while (locks.size() > 1) {
            releases.add(locks.pop().handle.closeAsync().toCompletableFuture());
        }
        locks.forEach(last -> finish(last.handle::close));
        releases.forEach(release -> finish(release::join));
    }

    private static void finish(Runnable release) {
        try {
            release.run();
        } catch (DistributedLockException ex) {
            warn(ex);
        } catch (CompletionException ex) {
            warn(ex.getCause() == null ? ex : ex.getCause());
        }
    }

    private static void warn(Throwable failure) {
        log.warn("After the transaction around it had ended: " + failure.getMessage());
    }
}
