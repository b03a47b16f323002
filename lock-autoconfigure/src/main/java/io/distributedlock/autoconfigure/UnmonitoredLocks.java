/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import java.util.List;

/**
 * What operators see of locks that show nothing: a test can replace the auto-configured bean by a mock of
 * {@link LockOperations} when all conditions have been evaluated.
 */
final class UnmonitoredLocks implements LockMonitor {

    private static final LockActivity NOTHING = new LockActivity("none", true, true, List.of(), List.of());

    static LockMonitor monitorOf(LockOperations locks) {
        return locks instanceof LockMonitor monitor ? monitor : new UnmonitoredLocks();
    }

    @Override
    public LockActivity activity() {
        return NOTHING;
    }
}
