/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.composite.BlockingJointRelease;
import io.distributedlock.logging.SafeLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.commons.logging.Log;
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

    private static final Log log = SafeLog.of(LockReleaseSynchronization.class);

    /** The latest first. */
    private final Deque<KeptLock> locks = new ArrayDeque<>();

    private LockReleaseSynchronization() {}

    /**
     * Passes the closing of the handle to the transaction of the calling thread.
     *
     * @return false if there is no such transaction
     */
    public static boolean deferRelease(LockHandle handle, boolean lossMatters) {
        if (!isInTransaction()) {
            return false;
        }
        KeptLock lock = new KeptLock(handle, lossMatters);
        LockReleaseSynchronization synchronization = ofThisTransaction();
        if (synchronization.keepsAlready(lock)) {
            return false;
        }
        synchronization.locks.push(lock);
        return true;
    }

    /** Whether the calling thread is in a transaction that keeps locks. */
    public static boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** An owner that may also enter the locks that the transaction of the calling thread keeps. */
    public static LockOwner nested(LockOwner owner) {
        List<LockHandle> kept = keptLocks();
        return kept.isEmpty() ? owner : owner.nestedIn(kept);
    }

    /** The token of a lock that the transaction of the calling thread keeps, or null. */
    public static @Nullable Long keptToken(String lockName) {
        for (LockHandle kept : keptLocks()) {
            Long token = kept.fencingTokens().get(lockName);
            if (token != null) {
                return token;
            }
        }
        return null;
    }

    /** The latest first. */
    private static List<LockHandle> keptLocks() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return List.of();
        }
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof LockReleaseSynchronization known) {
                return known.locks.stream().map(KeptLock::handle).toList();
            }
        }
        return List.of();
    }

    /** Then this is a re-entry, and the end of the first entry is the end of the hold. */
    private boolean keepsAlready(KeptLock lock) {
        return locks.stream().anyMatch(kept -> kept.covers(lock));
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
        locks.forEach(KeptLock::throwIfLost);
    }

    /** Sends all releases before it waits for the first reply. */
    @Override
    public void afterCompletion(int status) {
        List<LockHandle> holds = new ArrayList<>(locks.size());
        locks.descendingIterator().forEachRemaining(kept -> holds.add(kept.handle()));
        locks.clear();
        for (Throwable failure : BlockingJointRelease.close(holds)) {
            if (failure != null) {
                warn(failure);
            }
        }
    }

    private static void warn(Throwable failure) {
        String message = "After the end of the enclosing transaction: " + failure.getMessage();
        if (failure instanceof DistributedLockException) {
            log.warn(message);
        } else {
            log.warn(message, failure);
        }
    }
}
