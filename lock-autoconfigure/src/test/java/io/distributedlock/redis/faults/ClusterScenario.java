/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Model;

/** The faults of a cluster. */
enum ClusterScenario implements FaultRow<ClusterTarget> {
    SLOTS_MOVE("C01", "Slots move with their locks (ASK, MOVED)", Model.NO_LOSS, 6, ClusterFaults::moveSlots),
    SLOTS_MOVE_ALL_THE_TIME(
            "C02",
            "Slots move back and forth all the time (MOVED storm)",
            Model.NO_LOSS,
            4,
            ClusterFaults::moveSlotsAllTheTime),
    SCRIPTS_FORGOTTEN("C03", "SCRIPT FLUSH on all masters", Model.NO_LOSS, 4, ClusterFaults::forgetScripts),
    CLIENTS_KILLED("C04", "CLIENT KILL on all servers", Model.NO_LOSS, 4, ClusterFaults::killConnections),
    FAILOVER(
            "C05",
            "A master changes places with its replica (CLUSTER FAILOVER)",
            Model.NO_LOSS,
            3,
            ClusterFaults::failOver),
    MASTER_FROZEN(
            "C06",
            "A master is stopped, replaced, and goes on as a replica",
            Model.NO_LOSS,
            3,
            ClusterFaults::freezeMaster),
    MAJORITY_FROZEN(
            "C07", "Two of three masters are stopped (CLUSTERDOWN)", Model.NO_LOSS, 3, ClusterFaults::freezeMajority),
    MASTER_KILLED(
            "C08",
            "A master is killed whose replica lacks the latest writes",
            Model.SOME_LOSS,
            3,
            ClusterFaults::killMaster);

    private final FaultDetails<ClusterTarget> details;

    ClusterScenario(String id, String what, Model model, int phases, Injection<ClusterTarget> injection) {
        details = new FaultDetails<>(id, what, model, phases, injection);
    }

    @Override
    public FaultDetails<ClusterTarget> details() {
        return details;
    }

    @Override
    public boolean letsLocksGo() {
        return this == SCRIPTS_FORGOTTEN || this == SLOTS_MOVE;
    }

    /** {@link #MASTER_FROZEN} has most of the first one, and the matrix of a single server has the other two. */
    @Override
    public boolean isInOrdinaryBuild() {
        return this != MAJORITY_FROZEN && this != SCRIPTS_FORGOTTEN && this != CLIENTS_KILLED;
    }

    /** Longer than a failover takes, so that a lease that was forgotten may last until then. */
    @Override
    public int leases() {
        return this == MASTER_KILLED ? 4 : 1;
    }
}
