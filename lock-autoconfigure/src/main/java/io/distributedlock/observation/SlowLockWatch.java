/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.DistributedLockException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds waits and holds of this instance that last too long; see {@code distributed-lock.warn}.
 *
 * @since 0.1.0
 */
public final class SlowLockWatch extends PeriodicWatch {

    /**
     * Creates a watch that is not started.
     *
     * @param monitor the holds and waits of this instance
     * @param locks finds the holders of locks that callers of this instance wait for
     * @param events receives events, on the thread of this object
     * @param waiting how long a wait may last, zero for any time
     * @param holding how long a hold may last, zero for any time
     */
    public SlowLockWatch(
            LockMonitor monitor,
            LockOperations locks,
            Consumer<? super LockEvent> events,
            Duration waiting,
            Duration holding) {
        super(
                "distributed-lock-watch",
                new SlowLocks(monitor, name -> holderOf(locks, name), events, waiting, holding)::look,
                waiting,
                holding);
    }

    /** An interruption means that the watch stops, and ends the check: each further request would fail at once. */
    private static @Nullable LockState holderOf(LockOperations locks, String name) {
        try {
            return locks.inspect(name).orElse(null);
        } catch (LockInterruptedException ex) {
            throw ex;
        } catch (DistributedLockException ex) {
            return null;
        }
    }
}
