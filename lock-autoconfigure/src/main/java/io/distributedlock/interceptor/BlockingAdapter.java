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

/** For methods whose work is done when they return. */
final class BlockingAdapter implements ReturnTypeAdapter {

    private static final Log logger = LogFactory.getLog(BlockingAdapter.class);

    @Override
    public @Nullable Object invoke(LockOperations locks, LockOperation operation, LockRequest request, Body body)
            throws Throwable {
        LockHandle handle = acquire(locks, operation, request);
        return handle == null ? operation.skipped() : runAndClose(handle, operation, body);
    }

    private static @Nullable LockHandle acquire(LockOperations locks, LockOperation operation, LockRequest request) {
        if (operation.whenBusy() == WhenBusy.THROW) {
            return requireAnswer(locks.acquire(request), locks, "acquire");
        }
        LockHandle handle =
                requireAnswer(locks.tryAcquire(request), locks, "tryAcquire").orElse(null);
        if (handle == null && logger.isDebugEnabled()) {
            logger.debug("Skipped a call, as the lock '" + request.name() + "' is busy");
        }
        return handle;
    }

    /** A mock without stubs answers null, and a method must not run without its lock, nor be left out in silence. */
    private static <T> T requireAnswer(@Nullable T answer, LockOperations locks, String method) {
        if (answer == null) {
            throw new IllegalStateException("LockOperations." + method + " returned null, so the method was not run ("
                    + locks.getClass().getName() + "). If it is a mock, stub " + method
                    + " to return a LockHandle, or set distributed-lock.enabled=false, which needs no Redis.");
        }
        return answer;
    }

    private static @Nullable Object runAndClose(LockHandle handle, LockOperation operation, Body body)
            throws Throwable {
        boolean lossMatters = operation.whenLost() != WhenLost.IGNORE;
        boolean interruptible = operation.whenLost() == WhenLost.INTERRUPT;
        boolean kept = operation.keptUntilCompletion() && isKeptByTransaction(handle, operation, lossMatters);
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
    private static boolean isKeptByTransaction(LockHandle handle, LockOperation operation, boolean lossMatters) {
        try {
            return Transactions.PRESENT
                    && SurroundingTransaction.keeps(handle, lossMatters, operation.ownTransaction());
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
            if (other != thrown && !isSameLoss(thrown, other)) {
                thrown.addSuppressed(other);
            }
            return thrown;
        }
    }

    /** A transaction inside has been stopped by the loss that the release finds as well. */
    private static boolean isSameLoss(Throwable first, Throwable second) {
        return first instanceof LockLostException one
                && second instanceof LockLostException other
                && one.lockName().equals(other.lockName());
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
