/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.LockListener.Command;
import org.jspecify.annotations.Nullable;

/**
 * One sending of a command, as the listener is notified of it: once, with its reply, its failure, or when the engine
 * stops waiting for it.
 */
final class MeasuredCommand {

    private final ListenerCalls listening;

    private final Command command;

    /** Whether it was sent, and has not ended. */
    @GuardedBy("this")
    private boolean underWay;

    @GuardedBy("this")
    private long sentAt;

    MeasuredCommand(ListenerCalls listening, Command command) {
        this.listening = listening;
        this.command = command;
    }

    /** It is about to be sent. */
    void begin() {
        long now = listening.now();
        synchronized (this) {
            underWay = true;
            sentAt = now;
        }
    }

    /** What comes later does not count. */
    void ended(@Nullable Throwable failure) {
        long since;
        synchronized (this) {
            if (!underWay) {
                return;
            }
            underWay = false;
            since = sentAt;
        }
        listening.replied(command, failure, since);
    }

    /** The engine stops waiting for its reply. Without effect if it was not sent. */
    void giveUp() {
        ended(StoreFailures.unwrap(null));
    }
}
