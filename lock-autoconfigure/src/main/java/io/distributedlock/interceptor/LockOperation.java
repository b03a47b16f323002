package io.distributedlock.interceptor;

import io.distributedlock.LockRequest;
import io.distributedlock.annotation.WhenBusy;
import io.distributedlock.annotation.WhenLost;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * All that an annotation says about one method, parsed and checked.
 *
 * @param name makes the lock name of a call
 * @param lease null for the default
 * @param waitUpTo negative for no limit, null for the default
 * @param maxHold null for the default
 * @param keptUntilCompletion whether a transaction around the call keeps the lock until it has completed
 * @param ownTransaction the name of the transaction that the method has for itself, null if it joins that of its caller
 * @param adapter runs calls of the method's return type
 * @param skipped what a skipped call returns
 */
record LockOperation(
        LockName name,
        @Nullable Duration lease,
        @Nullable Duration waitUpTo,
        boolean renew,
        @Nullable Duration maxHold,
        boolean reentrant,
        WhenBusy whenBusy,
        WhenLost whenLost,
        boolean keptUntilCompletion,
        @Nullable String ownTransaction,
        ReturnTypeAdapter adapter,
        @Nullable Object skipped) {

    LockOperation {
        if (maxHold != null && !renew) {
            throw new IllegalArgumentException("A hold that is not renewed ends with its lease and has no maxHold");
        }
    }

    LockRequest request(@Nullable Object target, @Nullable Object[] arguments) {
        LockRequest request = LockRequest.of(name.of(target, arguments));
        if (lease != null) {
            request = request.lease(lease);
        }
        if (waitUpTo != null) {
            request = request.waitUpTo(waitUpTo);
        }
        if (maxHold != null) {
            request = request.maxHold(maxHold);
        }
        if (!renew) {
            request = request.renew(false);
        }
        return reentrant ? request : request.reentrant(false);
    }
}
