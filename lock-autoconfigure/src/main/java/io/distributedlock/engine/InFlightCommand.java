/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener.Command;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStore.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * One sending of a command. It ends once: with the reply, with a failure, or when the engine stops waiting for it. What
 * arrives after its end is dropped. Its monitor is held only to access the fields, so a caller may hold its own
 * monitor.
 *
 * @param <R> the reply
 */
abstract class InFlightCommand<R> implements Reply<R> {

    private enum Phase {
        OPEN,
        REPLIED,
        FAILED
    }

    final EngineContext engine;

    private final Command command;

    /** A time before it was sent. */
    final long sentAt;

    @GuardedBy("this")
    private Phase phase = Phase.OPEN;

    /** Whether it was sent as a command of its own. Only then it is measured. */
    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private @Nullable StoreCall sent;

    InFlightCommand(EngineContext engine, Command command, long sentAt) {
        this.engine = engine;
        this.command = command;
        this.sentAt = sentAt;
    }

    /** It has ended with a reply or a failure. Called once, without the monitor, and not after {@link #giveUp}. */
    abstract void ended(@Nullable R reply, @Nullable Throwable failure);

    /** @return false if the engine has stopped waiting before, and nothing must be sent */
    final synchronized boolean begin() {
        begun = phase == Phase.OPEN;
        return begun;
    }

    /** It was passed to the store. */
    final void attach(StoreCall under) {
        boolean failed;
        synchronized (this) {
            sent = under;
            failed = phase == Phase.FAILED;
        }
        if (failed) {
            under.cancel();
        }
    }

    @Override
    public final void replied(@Nullable R reply, @Nullable Throwable failure) {
        boolean measured;
        synchronized (this) {
            if (phase != Phase.OPEN) {
                return;
            }
            phase = failure == null ? Phase.REPLIED : Phase.FAILED;
            measured = begun;
        }
        if (measured) {
            engine.listening().replied(command, failure, sentAt);
        }
        ended(reply, failure);
    }

    /** No caller waits for the reply any more. */
    final void giveUp() {
        StoreCall under;
        boolean measured;
        synchronized (this) {
            measured = begun && phase == Phase.OPEN;
            phase = phase == Phase.OPEN ? Phase.FAILED : phase;
            under = sent;
        }
        if (measured) {
            engine.listening().replied(command, StoreFailures.unwrap(null), sentAt);
        }
        if (under != null) {
            under.cancel();
        }
    }

    final synchronized boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** Otherwise, or if it failed, a copy of it may still reach the store. */
    final synchronized boolean hasReply() {
        return phase == Phase.REPLIED;
    }
}
