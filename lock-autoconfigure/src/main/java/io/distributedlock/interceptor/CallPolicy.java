/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNames;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.composite.StageFailures;
import io.distributedlock.logging.SafeLog;
import io.distributedlock.transaction.LockReleaseSynchronization;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a call does when the lock is busy, when its method fails, and when the lock was lost. It never waits, so
 * blocking and asynchronous adapters share it.
 *
 * @param keptUntilCompletion whether a transaction around the call keeps the lock until it has completed
 * @param separate whether the method takes no part in the transaction of its caller. Evaluated only for calls inside a
 *     transaction, so that the start need not search each method for the annotations of transactions
 * @param skipped what a skipped call returns
 * @param fallback the method that is called instead when the lock is busy, or null
 */
record CallPolicy(
        WhenBusy whenBusy,
        WhenLost whenLost,
        boolean keptUntilCompletion,
        BooleanSupplier separate,
        @Nullable Object skipped,
        @Nullable Fallback fallback) {

    private static final Log log = SafeLog.of(CallPolicy.class);

    /**
     * The policy of a call with the locks of several annotations, apart from what it does with a busy one. The
     * annotation of each lock decides whether its own loss matters, and whether it interrupts.
     */
    static CallPolicy ofAll(List<CallPolicy> all) {
        CallPolicy any = all.get(0);
        return new CallPolicy(WhenBusy.THROW, strictestLoss(all), any.keptUntilCompletion, any.separate, null, null);
    }

    /** The policy for a lock that another annotation of the method names as well. */
    CallPolicy withLossAlsoOf(CallPolicy other) {
        WhenLost strictest = strictestLoss(List.of(this, other));
        return new CallPolicy(whenBusy, strictest, keptUntilCompletion, separate, skipped, fallback);
    }

    private static WhenLost strictestLoss(List<CallPolicy> all) {
        if (all.stream().anyMatch(CallPolicy::interrupts)) {
            return WhenLost.INTERRUPT;
        }
        return all.stream().anyMatch(CallPolicy::lossMatters) ? WhenLost.THROW : WhenLost.IGNORE;
    }

    boolean skips() {
        return whenBusy == WhenBusy.SKIP;
    }

    boolean lossMatters() {
        return whenLost != WhenLost.IGNORE;
    }

    boolean interrupts() {
        return whenLost == WhenLost.INTERRUPT;
    }

    /** The result or exception of a call that was not run since the lock is busy. */
    @Nullable
    Object insteadOfCall(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy)
            throws Throwable {
        if (skips()) {
            return skip(busy.lockName());
        }
        if (fallback == null) {
            throw busy;
        }
        return fallback.call(target, arguments, busy);
    }

    /** The same for a call that is skipped and has no exception. */
    @Nullable
    Object skip(String lockName) {
        if (log.isDebugEnabled()) {
            log.debug("Skipped a call, since the lock '" + LockNames.show(lockName) + "' is busy");
        }
        return skipped;
    }

    /**
     * Passes the end of the hold to the transaction of the calling thread, if there is one that the work belongs to.
     * Then the caller only has to call {@link LockHandle#throwIfLost()} after the method.
     */
    boolean leaveToTransaction(LockHandle handle) {
        return isInTransaction() && LockReleaseSynchronization.deferRelease(handle, lossMatters());
    }

    /** Whether the calling thread is in a transaction that the work belongs to, and that keeps locks. */
    boolean isInTransaction() {
        return keptUntilCompletion
                && TransactionSupport.PRESENT
                && LockReleaseSynchronization.isInTransaction()
                && !separate.getAsBoolean();
    }

    /**
     * The exception after the method has failed: its failure, unless that is only the interrupt by the loss of the
     * lock. The other one is added as suppressed, unless it is a loss that the method ignores.
     *
     * @param ofRelease the failure of the release, or null
     * @param mayComeOfLoss whether the failure may be only the consequence of an interrupt that the loss caused
     */
    Throwable afterFailure(Throwable failure, @Nullable Throwable ofRelease, boolean mayComeOfLoss) {
        if (ofRelease == null) {
            return failure;
        }
        if (isIgnored(ofRelease)) {
            logIgnored(ofRelease);
            return failure;
        }
        boolean lossWins = mayComeOfLoss && ofRelease instanceof LockLostException;
        Throwable thrown = lossWins ? ofRelease : failure;
        Throwable other = lossWins ? failure : ofRelease;
        if (other != thrown && !StageFailures.isSameLoss(thrown, other)) {
            thrown.addSuppressed(other);
        }
        return thrown;
    }

    /**
     * The exception after the method has returned normally, or null if its result counts.
     *
     * @param ofRelease the failure of the release, or null
     */
    @Nullable
    Throwable afterSuccess(@Nullable Throwable ofRelease) {
        if (ofRelease == null || !isIgnored(ofRelease)) {
            return ofRelease;
        }
        logIgnored(ofRelease);
        return null;
    }

    private boolean isIgnored(Throwable ofRelease) {
        return !lossMatters() && ofRelease instanceof LockLostException;
    }

    /** The locks have already warned of the loss. */
    private static void logIgnored(Throwable loss) {
        log.debug("The method goes on, since it has whenLost = IGNORE: " + loss.getMessage());
    }
}
