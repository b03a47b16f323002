package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import io.distributedlock.transaction.SurroundingTransaction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** For methods whose work is done when they return. */
final class BlockingAdapter implements ReturnTypeAdapter {

    private static final Log logger = LogFactory.getLog(BlockingAdapter.class);

    /** Whether there can be transactions at all. */
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronization",
            BlockingAdapter.class.getClassLoader());

    @Override
    public @Nullable Object invoke(LockOperations locks, LockOperation operation, LockRequest request, Body body)
            throws Throwable {
        LockHandle handle = acquire(locks, operation, request);
        return handle == null ? operation.skipped() : runAndClose(handle, operation, body);
    }

    private static @Nullable LockHandle acquire(LockOperations locks, LockOperation operation, LockRequest request) {
        if (operation.whenBusy() == WhenBusy.THROW) {
            return locks.acquire(request);
        }
        LockHandle handle = locks.tryAcquire(request).orElse(null);
        if (handle == null && logger.isDebugEnabled()) {
            logger.debug("Skipped a call, as the lock '" + request.name() + "' is busy");
        }
        return handle;
    }

    private static @Nullable Object runAndClose(LockHandle handle, LockOperation operation, Body body)
            throws Throwable {
        boolean lossMatters = operation.whenLost() != WhenLost.IGNORE;
        boolean interruptible = operation.whenLost() == WhenLost.INTERRUPT;
        boolean kept = operation.keptUntilCompletion() && isKeptByTransaction(handle, lossMatters);
        Runnable end = kept ? handle::throwIfLost : handle::close;
        LossInterrupt interrupt = null;
        Object result;
        try {
            interrupt = interruptible ? LossInterrupt.of(handle) : null;
            result = run(handle, lossMatters, body);
        } catch (Throwable failure) {
            if (interrupt != null) {
                interrupt.end();
            }
            throw endAfter(failure, end, interrupt != null && LossInterrupt.isConsequence(failure));
        }
        if (interrupt != null) {
            interrupt.end();
        }
        endAfterSuccess(end, lossMatters);
        return result;
    }

    private static @Nullable Object run(LockHandle handle, boolean lossMatters, Body body) throws Throwable {
        try (LockScope scope = LockScope.open(handle, lossMatters)) {
            return body.proceed();
        }
    }

    /** If it cannot be left to the transaction, it must not be left at all. */
    private static boolean isKeptByTransaction(LockHandle handle, boolean lossMatters) {
        try {
            return TRANSACTIONS && SurroundingTransaction.keeps(handle, lossMatters);
        } catch (RuntimeException failure) {
            throw (RuntimeException) endAfter(failure, handle::close, false);
        }
    }

    /** What to throw: the method's failure, unless it only says that the loss of the lock interrupted it. */
    private static Throwable endAfter(Throwable failure, Runnable end, boolean mayComeOfLoss) {
        try {
            end.run();
            return failure;
        } catch (Throwable second) {
            boolean lossWins = mayComeOfLoss && second instanceof LockLostException;
            Throwable thrown = lossWins ? second : failure;
            Throwable other = lossWins ? failure : second;
            if (other != thrown) {
                thrown.addSuppressed(other);
            }
            return thrown;
        }
    }

    private static void endAfterSuccess(Runnable end, boolean lossMatters) {
        try {
            end.run();
        } catch (LockLostException ex) {
            if (lossMatters) {
                throw ex;
            }
            logger.warn(
                    "The lock '" + ex.lockName() + "' was lost while a method ran that ignores it: " + ex.getMessage());
        }
    }
}
