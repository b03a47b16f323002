/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** The locks of one call or subscription, whose keys are evaluated. */
interface CallLocks {

    /** The name, or the first one in global order. */
    String name();

    /** As {@link io.distributedlock.LockOperations#acquire}, with all requests changed. */
    LockHandle acquire(UnaryOperator<LockRequest> change);

    /** As {@link io.distributedlock.LockOperations#acquireAsync}, with all requests changed. */
    CompletionStage<LockHandle> acquireAsync(UnaryOperator<LockRequest> change);

    /** As {@link io.distributedlock.LockOperations#tryAcquire}. */
    default Optional<LockHandle> tryAcquire() {
        try {
            return Optional.of(acquire(request -> request));
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }
}
