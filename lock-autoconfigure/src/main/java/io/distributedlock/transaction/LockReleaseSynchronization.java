/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
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
 * Keeps the locks that were acquired inside a transaction until that transaction has completed, so that the next holder
 * sees the committed data. A lock that was lost by then stops the commit. The locks are released together: if Redis
 * does not reply, the caller waits for one command time-out, not for one each.
 */
public final class LockReleaseSynchronization implements TransactionSynchronization {

    private static final Log log = LogFactory.getLog(LockReleaseSynchronization.class);

    private record Kept(LockHandle handle, boolean lossMatters) {}

    /** The latest first. */
    private final Deque<Kept> locks = new ArrayDeque<>();

    private LockReleaseSynchronization() {}

    /**
     * Passes the closing of the handle to the transaction of the calling thread.
     *
     * @param ownTransaction the name of the own transaction of the work under the lock, null if it has none. Such work
     *     does not affect any other transaction around it
     * @return false if there is no such transaction
     */
    public static boolean deferRelease(LockHandle handle, boolean lossMatters, @Nullable String ownTransaction) {
        if (!isInTransaction(ownTransaction)) {
            return false;
        }
        LockReleaseSynchronization synchronization = ofThisTransaction();
        if (synchronization.keepsAlready(handle, lossMatters)) {
            return false;
        }
        synchronization.locks.push(new Kept(handle, lossMatters));
        return true;
    }

    /**
     * Whether the calling thread is in a transaction that keeps locks.
     *
     * @param ownTransaction as for {@link #deferRelease}
     */
    public static boolean isInTransaction(@Nullable String ownTransaction) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && (ownTransaction == null
                        || ownTransaction.equals(TransactionSynchronizationManager.getCurrentTransactionName()));
    }

    /** An owner that may also enter the locks that the transaction of the calling thread keeps. */
    public static LockOwner nested(LockOwner owner) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return owner;
        }
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof LockReleaseSynchronization known && !known.locks.isEmpty()) {
                return owner.nestedIn(known.locks.stream().map(Kept::handle).toList());
            }
        }
        return owner;
    }

    /** Then this is a re-entry, and the end of the first entry is the end of the hold. */
    private boolean keepsAlready(LockHandle handle, boolean lossMatters) {
        return locks.stream()
                .anyMatch(kept -> (kept.lossMatters || !lossMatters)
                        && kept.handle.fencingTokens().equals(handle.fencingTokens()));
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

    /** For managers that accept no listeners; all others have a {@link CommitGuard}, which is called later. */
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
        log.warn("After the end of the enclosing transaction: " + failure.getMessage());
    }
}
