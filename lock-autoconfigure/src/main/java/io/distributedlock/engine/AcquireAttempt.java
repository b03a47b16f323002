/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.LockListener.Command;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.Sent;
import org.jspecify.annotations.Nullable;

/**
 * One sending of an acquire command, and where its answer goes: to the lock that asked, and to the
 * {@link PendingRelease} that waits for it, if there is one. It ends once: with the answer, with a failure, or given
 * up. Guarded by itself, for no longer than it takes to look at the fields.
 */
final class AcquireAttempt implements Reply<AcquireReply> {

    private enum Phase {
        OPEN,
        ANSWERED,
        FAILED
    }

    private final NamedLock lock;

    private final Acquisition acquisition;

    /** A time before it was sent. */
    final long sentAt;

    private Phase phase = Phase.OPEN;

    private @Nullable Sent sent;

    private volatile boolean isCommand;

    private @Nullable PendingRelease waiting;

    AcquireAttempt(NamedLock lock, Acquisition acquisition, long sentAt) {
        this.lock = lock;
        this.acquisition = acquisition;
        this.sentAt = sentAt;
    }

    /** Not if it was given up before it came to that. */
    void send(AcquireCommand command) {
        if (!isOpen()) {
            return;
        }
        isCommand = true;
        Sent under = lock.engine.store().acquire(command, this);
        if (!mayGoOn(under)) {
            under.cancel();
        }
    }

    private synchronized boolean mayGoOn(Sent under) {
        sent = under;
        return phase != Phase.FAILED;
    }

    @Override
    public void answered(@Nullable AcquireReply reply, @Nullable Throwable failure) {
        PendingRelease told;
        synchronized (this) {
            if (phase != Phase.OPEN) {
                return;
            }
            phase = failure == null ? Phase.ANSWERED : Phase.FAILED;
            told = waiting;
        }
        measure(failure);
        lock.answered(acquisition, this, reply, failure);
        if (told != null) {
            told.questionEnded(failure != null);
        }
    }

    /** Nobody waits for the answer any more. */
    void giveUp() {
        Sent under;
        boolean unanswered;
        synchronized (this) {
            unanswered = phase == Phase.OPEN;
            phase = unanswered ? Phase.FAILED : phase;
            under = sent;
        }
        if (unanswered) {
            measure(StoreFailures.unwrap(null));
        }
        if (under != null) {
            under.cancel();
        }
    }

    /** Not if it was a part of a release. */
    private void measure(@Nullable Throwable failure) {
        if (isCommand) {
            lock.engine.listening().answered(Command.ACQUIRE, failure, sentAt);
        }
    }

    /** @return false if it has ended already, and nobody will be told */
    synchronized boolean tellEnd(PendingRelease to) {
        waiting = to;
        return phase == Phase.OPEN;
    }

    synchronized boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** Otherwise, or if it failed, a copy of it may still come to the store. */
    synchronized boolean wasAnswered() {
        return phase == Phase.ANSWERED;
    }
}
