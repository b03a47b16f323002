/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.logging.SafeLog;
import java.util.List;
import org.apache.commons.logging.Log;

/**
 * What operators see of locks that show nothing: a test can replace the auto-configured bean by a mock of
 * {@link LockOperations} when all conditions have been evaluated.
 */
final class UnmonitoredLocks implements LockMonitor {

    private static final Log log = SafeLog.of(UnmonitoredLocks.class);

    private static final LockActivity NOTHING = new LockActivity("none", true, true, List.of(), List.of());

    /** @param missing what the application does not have without a monitor, for the log */
    static LockMonitor monitorOf(LockOperations locks, String missing) {
        if (locks instanceof LockMonitor monitor) {
            return monitor;
        }
        log.info("No " + missing + ": " + locks.getClass().getName() + " is no LockMonitor");
        return new UnmonitoredLocks();
    }

    @Override
    public LockActivity activity() {
        return NOTHING;
    }
}
