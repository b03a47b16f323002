/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Model;

/** The faults of servers that Sentinels watch. */
enum SentinelScenario implements FaultRow<SentinelTarget> {
    FAILOVER(
            "S01",
            "Sentinels change the master by command; the former one goes on for a while",
            Model.SOME_LOSS,
            3,
            SentinelFaults::failOver),
    MASTER_KILLED(
            "S02",
            "The master is killed, and its replica lacks the latest writes",
            Model.SOME_LOSS,
            3,
            SentinelFaults::killMaster),
    SENTINELS_DOWN(
            "S03",
            "All Sentinels are down while the master is stopped",
            Model.NO_LOSS,
            3,
            SentinelFaults::freezeMasterWithoutSentinels),
    MASTER_KILLED_LATER(
            "S04",
            "The same as S02 after more than a lease, so that all holds are lost",
            Model.SOME_LOSS,
            2,
            SentinelFaults::killMasterAfterALease);

    private final FaultDetails<SentinelTarget> details;

    SentinelScenario(String id, String what, Model model, int phases, Injection<SentinelTarget> injection) {
        details = new FaultDetails<>(id, what, model, phases, injection);
    }

    @Override
    public FaultDetails<SentinelTarget> details() {
        return details;
    }

    /** Longer than a failover takes, so that a lease that was forgotten may last until then. */
    @Override
    public int leases() {
        return this == FAILOVER || this == SENTINELS_DOWN ? 1 : 5;
    }
}
