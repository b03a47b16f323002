/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener.Command;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * One sending of an acquire command, or of a release that contains one. Its reply goes to the lock that sent it, and
 * then to the {@link PendingRelease} that waits for it, if there is one.
 */
final class AcquireAttempt extends InFlightCommand<AcquireReply> {

    private final NamedLock lock;

    private final Acquisition acquisition;

    @GuardedBy("this")
    private @Nullable PendingRelease waiting;

    AcquireAttempt(NamedLock lock, Acquisition acquisition, long sentAt) {
        super(lock.engine, Command.ACQUIRE, sentAt);
        this.lock = lock;
        this.acquisition = acquisition;
    }

    void send(AcquireCommand command) {
        if (begin()) {
            attach(engine.store().acquire(command, this));
        }
    }

    @Override
    void ended(@Nullable AcquireReply reply, @Nullable Throwable failure) {
        PendingRelease pending;
        synchronized (this) {
            pending = waiting;
        }
        lock.replied(acquisition, this, reply, failure);
        if (pending != null) {
            pending.requestEnded(failure != null);
        }
    }

    /** @return false if it has already ended, and gives no further result */
    synchronized boolean notifyAtEnd(PendingRelease to) {
        if (!isOpen()) {
            return false;
        }
        waiting = to;
        return true;
    }
}
