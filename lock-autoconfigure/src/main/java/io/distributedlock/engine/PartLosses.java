/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockHandle;
import io.distributedlock.composite.LossReaction;
import io.distributedlock.composite.LostPart;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends the wait of a thread for the next of several names once one that it already has is lost. */
final class PartLosses {

    private volatile boolean lost;

    private volatile @Nullable Waiter waiting;

    void watch(LockHandle part) {
        part.onLost((LossReaction) this::lost);
    }

    private void lost() {
        lost = true;
        Waiter known = waiting;
        if (known != null) {
            known.end(lostPart());
        }
    }

    /** @throws io.distributedlock.LockUnavailableException if one of these was lost */
    void requireNone(List<DefaultLockHandle> parts) {
        if (lost) {
            LostPart.requireNone(parts);
        }
    }

    /** The calling thread is about to wait. */
    void waits(Waiter waiter) {
        waiting = waiter;
        if (lost) {
            waiter.end(lostPart());
        }
    }

    /** The caller gets the reason of that loss instead. */
    private static AcquireResult lostPart() {
        return new AcquireResult.Unavailable("another lock of its request was lost", null);
    }

    /** The calling thread no longer waits. */
    void end() {
        waiting = null;
    }
}
