/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

/**
 * A hold that was closed before its minimum was over: the store keeps its lock until then. A late grant message for its
 * number must neither release the lock nor lengthen its lease.
 */
final class KeptMinimum extends TimerTask {

    private final PendingReleases releases;

    final String name;

    final long number;

    final Terms terms;

    KeptMinimum(PendingReleases releases, String name, long number, Terms terms) {
        this.releases = releases;
        this.name = name;
        this.number = number;
        this.terms = terms;
    }

    /**
     * How long the store keeps the lock.
     *
     * @param until the time at which the minimum is over
     * @param token the token of the latest hold
     * @param leaseNanos the longest lease that the store may have
     * @param mayBeLengthened whether the store may execute a request later that lengthens its lease, for example a
     *     renewal that is sent after the close; then the lease is released when the minimum is over
     */
    record Terms(long until, long token, long leaseNanos, boolean mayBeLengthened) {}

    @Override
    void onDue(long now) {
        releases.minimumEnded(this);
    }
}
