package io.distributedlock.transaction;

import io.distributedlock.LockScope;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stops the commit of a transaction that runs under a lock which was lost meanwhile: the transaction is rolled back, and
 * {@link io.distributedlock.LockLostException} says why. Looks at all locked methods and
 * {@link io.distributedlock.LockOperations#execute execute} calls that the committing thread is in, except those that ignore
 * the loss, by the local clock: Redis is not asked.
 */
public final class CommitGuard implements TransactionExecutionListener {

    /** Comes last before the commit, when everything has been flushed; what it throws rolls back. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        LockScope.throwIfLost();
    }
}
