/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.transaction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOwner;
import io.distributedlock.composite.CompositeLockHandle;
import java.util.Map;
import java.util.Set;

/**
 * An entry into a lock that a transaction keeps.
 *
 * @param lossMatters whether a loss stops the commit, if the handle reports it
 */
record KeptLock(LockHandle handle, boolean lossMatters) {

    /**
     * Whether the other entry is into the same holds, which then end with this one, and no loss matters to it that does
     * not matter to this one.
     */
    boolean covers(KeptLock other) {
        return LockOwner.holdsOf(handle).equals(LockOwner.holdsOf(other.handle))
                && lossesThatMatter().containsAll(other.lossesThatMatter());
    }

    private Set<Map.Entry<String, Long>> lossesThatMatter() {
        return lossMatters ? CompositeLockHandle.reportedLosses(handle) : Set.of();
    }

    void throwIfLost() {
        if (lossMatters) {
            handle.throwIfLost();
        }
    }
}
