/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * The part of a {@link RenewedLease} for a lease that is longer than the present hold requests, or was. Guarded by the
 * {@link NamedLock}.
 */
final class Shortening {

    /**
     * Whether the store's lease is longer than that of the present hold, until the reply to a renewal that may shorten
     * it.
     */
    boolean tooLong;

    /** When the renewal that shortens it is due, if it is too long. */
    long dueAt;

    /** The shortest length of the renewals that may shorten it and got no reply. */
    long unanswered = Long.MAX_VALUE;

    void passed(boolean isTooLong, long latest) {
        dueAt = tooLong && dueAt - latest < 0 ? dueAt : latest;
        tooLong = isTooLong;
    }
}
