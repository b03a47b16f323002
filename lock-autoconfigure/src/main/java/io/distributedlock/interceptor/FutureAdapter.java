/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** For methods whose work is complete when the future that they return has completed. */
final class FutureAdapter implements ReturnTypeAdapter {

    /** Throws nothing: for an invalid key, the future completes with the exception. */
    @Override
    public @Nullable Object invoke(LockedCall call) {
        CallLocks wanted;
        try {
            wanted = call.wanted();
        } catch (Throwable ex) { // Also a checked one, which code in another language may throw.
            return CompletableFuture.failedFuture(ex);
        }
        return new FutureCall(call, wanted).start();
    }
}
