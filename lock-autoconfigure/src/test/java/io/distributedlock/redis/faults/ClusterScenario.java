/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Fault;
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
            ClusterFaults::killMaster),
    MASTER_CUT_OFF(
            "C09",
            "A master is cut off from the other servers, but not from clients, and replaced",
            Model.NO_LOSS,
            3,
            ClusterFaults::cutMasterOff),
    CLOCKS_APART(
            "C10",
            "The clocks of masters are apart by 50 ms and by 5 s, from then on, and slots move",
            Model.NO_LOSS,
            3,
            ClusterFaults::setClocksAhead),
    JVM_KILLED("F01", "A JVM is killed (SIGKILL), and a new one takes its place", Model.NO_LOSS, 2, JvmFaults::kill),
    JVM_STOPPED("F02", "A JVM is stopped for longer than the lease", Model.NO_LOSS, 2, JvmFaults::stopForLong),
    REPLIES_LOST(
            "F09",
            "Replies of a master are lost, then the connections to it are reset",
            Model.NO_LOSS,
            4,
            ClusterFaults.onTheWayToOneMaster(NetworkFaults::loseReplies)),
    BLACK_HOLE(
            "F14",
            "Nothing arrives between a JVM and a master",
            Model.NO_LOSS,
            4,
            ClusterFaults.onTheWayToOneMaster(NetworkFaults::blackHole)),
    JVM_TERMINATED("F43", "A JVM gets a SIGTERM", Model.NO_LOSS, 2, JvmFaults::terminate);

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

    @Override
    public boolean hitsJvm() {
        return this == JVM_STOPPED || endsJvm();
    }

    @Override
    public boolean endsJvm() {
        return this == JVM_KILLED || this == JVM_TERMINATED;
    }

    @Override
    public String kind() {
        return switch (this) {
            case JVM_KILLED -> Fault.KILL;
            case JVM_TERMINATED -> Fault.TERMINATE;
            default -> name();
        };
    }

    /** The others take longer, mostly since a failover does. */
    @Override
    public boolean isInOrdinaryBuild() {
        return this == SLOTS_MOVE || this == SCRIPTS_FORGOTTEN;
    }

    /** Longer than a failover takes, so that a lease that was forgotten may last until then. */
    @Override
    public int leases() {
        return this == MASTER_KILLED ? 4 : 1;
    }
}
