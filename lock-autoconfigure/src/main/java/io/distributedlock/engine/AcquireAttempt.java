/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener.Command;
import io.distributedlock.engine.LeaseStore.AcquireCommand;
import io.distributedlock.engine.LeaseStore.AcquireReply;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.Sent;
import org.jspecify.annotations.Nullable;

/**
 * One sending of an acquire command, and the receivers of its reply: the lock that sent it, and the
 * {@link PendingRelease} that waits for it, if there is one. It ends once: with the reply, with a failure, or when the
 * engine stops waiting for it. Its monitor is held only to access the fields.
 */
final class AcquireAttempt implements Reply<AcquireReply> {

    private enum Phase {
        OPEN,
        REPLIED,
        FAILED
    }

    private final NamedLock lock;

    private final Acquisition acquisition;

    /** A time before it was sent. */
    final long sentAt;

    @GuardedBy("this")
    private Phase phase = Phase.OPEN;

    @GuardedBy("this")
    private @Nullable Sent sent;

    private volatile boolean isCommand;

    @GuardedBy("this")
    private @Nullable PendingRelease waiting;

    AcquireAttempt(NamedLock lock, Acquisition acquisition, long sentAt) {
        this.lock = lock;
        this.acquisition = acquisition;
        this.sentAt = sentAt;
    }

    /** Sends nothing if the engine has stopped waiting before. */
    void send(AcquireCommand command) {
        if (!isOpen()) {
            return;
        }
        isCommand = true;
        Sent under = lock.engine.store().acquire(command, this);
        if (!attach(under)) {
            under.cancel();
        }
    }

    private synchronized boolean attach(Sent under) {
        sent = under;
        return phase != Phase.FAILED;
    }

    @Override
    public void replied(@Nullable AcquireReply reply, @Nullable Throwable failure) {
        PendingRelease pending;
        synchronized (this) {
            if (phase != Phase.OPEN) {
                return;
            }
            phase = failure == null ? Phase.REPLIED : Phase.FAILED;
            pending = waiting;
        }
        measure(failure);
        lock.replied(acquisition, this, reply, failure);
        if (pending != null) {
            pending.requestEnded(failure != null);
        }
    }

    /** No caller waits for the reply any more. */
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

    /** False if it was a part of a release. */
    private void measure(@Nullable Throwable failure) {
        if (isCommand) {
            lock.engine.listening().replied(Command.ACQUIRE, failure, sentAt);
        }
    }

    /** @return false if it has already ended, and gives no further result */
    synchronized boolean notifyAtEnd(PendingRelease to) {
        waiting = to;
        return phase == Phase.OPEN;
    }

    synchronized boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** Otherwise, or if it failed, a copy of it may still reach the store. */
    synchronized boolean hasReply() {
        return phase == Phase.REPLIED;
    }
}
