package io.distributedlock.interceptor;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs calls under the lock that their method's annotation names. Knows nothing of proxies. */
class LockAspectSupport {

    private final LockOperationSource source;

    private final Supplier<LockOperations> locks;

    LockAspectSupport(LockOperationSource source, Supplier<LockOperations> locks) {
        this.source = source;
        this.locks = locks;
    }

    @Nullable
    Object invokeWithinLock(
            Method method,
            Class<?> targetClass,
            @Nullable Object target,
            @Nullable Object[] arguments,
            ReturnTypeAdapter.Body body)
            throws Throwable {
        LockOperation operation = source.get(method, targetClass);
        if (operation == null) {
            return body.proceed();
        }
        LockRequest request = operation.request(target, arguments);
        return operation.adapter().invoke(locks.get(), operation, request, body);
    }
}
