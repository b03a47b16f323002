/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/** For methods whose work is complete when the future that they return has completed. */
final class FutureAdapter implements ReturnTypeAdapter {

    @Override
    public @Nullable Object invoke(LockedCall call) {
        return new FutureCall(call).start();
    }
}
