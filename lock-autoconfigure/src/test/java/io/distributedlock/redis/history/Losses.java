/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.time.Duration;
import java.util.List;

/**
 * When Redis forgot what it had confirmed. Who held a lock then can go on for as long as the lease lasts that Redis has
 * forgotten, since no renewal can make it longer; the lock is another caller's meanwhile.
 */
final class Losses {

    private final List<Call> faults;

    private final long lease;

    private final IntervalSet felt;

    Losses(List<Call> faults, Duration lease) {
        this.faults = faults.stream().filter(Fault::losesData).toList();
        this.lease = lease.toNanos();
        this.felt = new IntervalSet(this.faults.stream(), lease);
    }

    /**
     * Whether one of them came before the second of two holds was granted, and its lease had not ended before both went
     * on.
     */
    boolean explainOverlap(long granted, long end) {
        return faults.stream()
                .anyMatch(fault -> fault.begin() <= granted
                        && (fault.answered() == null || end <= fault.answered().nanos() + lease));
    }

    /** Whether there may have been somebody then who did not know that his lock was forgotten. */
    boolean areFelt(long from, long to) {
        return felt.touch(from, to);
    }
}
