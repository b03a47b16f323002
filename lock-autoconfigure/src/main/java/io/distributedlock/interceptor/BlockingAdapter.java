package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockScope;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
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
        Object result;
        try (LockScope scope = LockScope.open(handle)) {
            result = body.proceed();
        } catch (Throwable failure) {
            closeAfter(failure, handle);
            throw failure;
        }
        closeAfterSuccess(handle, operation);
        return result;
    }

    private static void closeAfter(Throwable failure, LockHandle handle) {
        try {
            handle.close();
        } catch (Throwable second) {
            if (second != failure) {
                failure.addSuppressed(second);
            }
        }
    }

    private static void closeAfterSuccess(LockHandle handle, LockOperation operation) {
        try {
            handle.close();
        } catch (LockLostException ex) {
            if (operation.whenLost() == WhenLost.THROW) {
                throw ex;
            }
            logger.warn(
                    "The lock '" + ex.lockName() + "' was lost while a method ran that ignores it: " + ex.getMessage());
        }
    }
}
