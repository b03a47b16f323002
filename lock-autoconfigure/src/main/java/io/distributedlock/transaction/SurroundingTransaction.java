package io.distributedlock.transaction;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps a lock that was acquired inside of a transaction until that transaction has completed, so that the next holder sees
 * what was committed. A lock that was lost by then stops the commit.
 */
public final class SurroundingTransaction implements TransactionSynchronization {

    private static final Log log = LogFactory.getLog(SurroundingTransaction.class);

    private final LockHandle handle;

    private final boolean lossMatters;

    private SurroundingTransaction(LockHandle handle, boolean lossMatters) {
        this.handle = handle;
        this.lossMatters = lossMatters;
    }

    /**
     * Leaves the closing of the handle to the transaction that the calling thread is in.
     *
     * @param ownTransaction the name of the transaction that the work under the lock has for itself, null if it has none.
     *     Such work does not matter to any other transaction around it
     * @return false if there is no transaction to leave it to
     */
    public static boolean keeps(LockHandle handle, boolean lossMatters, @Nullable String ownTransaction) {
        if (ownTransaction != null
                && !ownTransaction.equals(TransactionSynchronizationManager.getCurrentTransactionName())) {
            return false;
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        TransactionSynchronizationManager.registerSynchronization(new SurroundingTransaction(handle, lossMatters));
        return true;
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
        if (lossMatters) {
            handle.throwIfLost();
        }
    }

    @Override
    public void afterCompletion(int status) {
        try {
            handle.close();
        } catch (DistributedLockException ex) {
            log.warn("After the transaction around it had ended: " + ex.getMessage());
        }
    }
}
