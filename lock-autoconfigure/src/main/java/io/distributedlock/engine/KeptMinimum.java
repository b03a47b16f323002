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

    private final LockRegistry locks;

    final String name;

    final long number;

    final long until;

    final long token;

    KeptMinimum(LockRegistry locks, String name, long number, long until, long token) {
        this.locks = locks;
        this.name = name;
        this.number = number;
        this.until = until;
        this.token = token;
    }

    @Override
    void onDue(long now) {
        locks.minimumEnded(this);
    }
}
