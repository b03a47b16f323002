/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * The part of a {@link RenewedLease} for a lease that is shortened, or longer than the present hold requests, or was.
 * Guarded by the {@link NamedLock}.
 */
final class Shortening {

    /**
     * Whether the store's lease is longer than that of the present hold, until the reply to a renewal that may shorten
     * it.
     */
    boolean tooLong;

    /** When the renewal that shortens it is due, if it is too long. */
    long dueAt;

    /** How many commands to shorten it were sent. */
    int sent;

    /** Whether the store may still execute one: neither the latest nor a command after it has got a positive reply. */
    boolean unanswered;

    /** @param inStore whether the store may shorten it as well */
    void sent(boolean inStore) {
        sent++;
        unanswered |= inStore;
    }

    void passed(boolean isTooLong, long latest) {
        dueAt = tooLong && dueAt - latest < 0 ? dueAt : latest;
        tooLong = isTooLong;
    }
}
