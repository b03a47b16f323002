/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * Shows operators what an instance does with locks. Implementations are safe for use by any number of threads, and
 * neither stop the locks nor ask Redis.
 */
public interface LockMonitor {

    /** What this instance holds and waits for at this moment. */
    LockActivity activity();
}
