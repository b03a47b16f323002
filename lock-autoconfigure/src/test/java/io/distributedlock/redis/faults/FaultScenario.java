/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Fault;
import io.distributedlock.redis.history.Model;
import java.util.Set;

/** One row of the table of faults. */
enum FaultScenario implements FaultRow<Server> {
    JVM_KILLED("F01", "A JVM is killed (SIGKILL), and a new one takes its place", Model.NO_LOSS, 3, JvmFaults::kill),
    JVM_STOPPED("F02", "A JVM is stopped for longer than the lease", Model.NO_LOSS, 4, JvmFaults::stopForLong),
    JVM_PAUSED("F03", "A JVM is stopped briefly", Model.NO_LOSS, 20, JvmFaults::stopForAMoment),
    REDIS_EMPTY(
            "F04", "Redis is killed and restarts without its data", Model.DATA_LOSS, 8, ServerFaults::crashAndForget),
    REDIS_CRASHED(
            "F05",
            "Redis is killed and restarts with its append-only file",
            Model.NO_LOSS,
            8,
            ServerFaults::crashAndRemember),
    REDIS_STOPPED(
            "F06, F08",
            "Redis is stopped while locks are acquired and released",
            Model.NO_LOSS,
            20,
            ServerFaults::stop),
    REPLIES_LOST(
            "F09", "Replies are lost, then the connection is reset", Model.NO_LOSS, 20, NetworkFaults::loseReplies),
    REQUESTS_LOST(
            "F10", "Requests are lost, then the connection is reset", Model.NO_LOSS, 20, NetworkFaults::loseRequests),
    REPLY_CUT("F11", "The connection is reset at any byte of a reply", Model.NO_LOSS, 20, NetworkFaults::cutInMidReply),
    DELAY("F12", "Each byte arrives 200 ms late", Model.NO_LOSS, 10, NetworkFaults::delay),
    JITTER("F12", "Each byte arrives 0 to 400 ms late", Model.NO_LOSS, 10, NetworkFaults::jitter),
    BYTE_BY_BYTE("F12", "One byte per TCP segment", Model.NO_LOSS, 15, NetworkFaults::byteByByte),
    BLACK_HOLE("F14", "Nothing arrives in both directions", Model.NO_LOSS, 8, NetworkFaults::blackHole),
    REQUESTS_HELD("F14", "No request arrives", Model.NO_LOSS, 8, NetworkFaults::blackHoleForRequests),
    REPLIES_HELD("F14", "No reply arrives", Model.NO_LOSS, 8, NetworkFaults::blackHoleForReplies),
    LATE_BYTES("F15", "Bytes of a closed connection arrive late", Model.NO_LOSS, 15, NetworkFaults::lateBytes),
    CLIENTS_KILLED("F16", "CLIENT KILL TYPE normal", Model.NO_LOSS, 20, OperatorFaults::killCommandConnections),
    SUBSCRIPTIONS_KILLED("F16", "CLIENT KILL TYPE pubsub", Model.NO_LOSS, 20, OperatorFaults::killSubscriptions),
    WRITES_PAUSED("F17", "CLIENT PAUSE WRITE", Model.NO_LOSS, 15, ServerFaults::pauseWrites),
    ALL_PAUSED("F17", "CLIENT PAUSE ALL", Model.NO_LOSS, 15, ServerFaults::pauseAll),
    REDIS_SLEEPS("F18", "DEBUG SLEEP", Model.NO_LOSS, 15, ServerFaults::sleep),
    REDIS_BUSY("F18", "A script that does not end", Model.NO_LOSS, 15, ServerFaults::busyScript),
    SCRIPTS_FORGOTTEN("F19", "SCRIPT FLUSH", Model.NO_LOSS, 20, OperatorFaults::forgetScripts),
    ALL_FLUSHED("F20", "FLUSHALL", Model.DATA_LOSS, 20, OperatorFaults::flushAll),
    ENTRY_DELETED("F20", "DEL of the key of a lock that is held", Model.DATA_LOSS, 20, OperatorFaults::deleteAnEntry),
    ENTRY_PERSISTED(
            "F20", "PERSIST of the key of a lock that is held", Model.NO_LOSS, 20, OperatorFaults::persistAnEntry),
    EVICTED("F23", "Eviction (allkeys-random)", Model.DATA_LOSS, 20, OperatorFaults::evict),
    OUT_OF_MEMORY("F24", "Out of memory (noeviction)", Model.NO_LOSS, 15, OperatorFaults::runOutOfMemory),
    SAVING_FAILS(
            "F25", "Redis refuses writes since it cannot save (MISCONF)", Model.NO_LOSS, 4, OperatorFaults::failToSave),
    READ_ONLY(
            "F21",
            "Redis becomes a replica of an unreachable server (READONLY)",
            Model.NO_LOSS,
            5,
            OperatorFaults::readOnly),
    REPLICAS_WANTED(
            "F25", "Redis has too few replicas to write (NOREPLICAS)", Model.NO_LOSS, 4, OperatorFaults::wantReplicas),
    SCRIPTS_DENIED(
            "F37", "The right to run scripts is missing for a while", Model.NO_LOSS, 15, OperatorFaults::denyScripts),
    CHANNELS_DENIED(
            "F37", "The right to subscribe is missing for a while", Model.NO_LOSS, 10, OperatorFaults::denyChannels),
    JVM_TERMINATED("F43", "A JVM gets a SIGTERM", Model.NO_LOSS, 3, JvmFaults::terminate);

    private static final Set<String> OF_JVMS = Set.of("F01", "F02", "F03", "F43");

    private final FaultDetails<Server> details;

    FaultScenario(String id, String what, Model model, int phases, Injection<Server> injection) {
        details = new FaultDetails<>(id, what, model, phases, injection);
    }

    @Override
    public FaultDetails<Server> details() {
        return details;
    }

    @Override
    public boolean hitsJvm() {
        return OF_JVMS.contains(id());
    }

    @Override
    public boolean endsJvm() {
        return this == JVM_KILLED || this == JVM_TERMINATED;
    }

    @Override
    public boolean letsLocksGo() {
        return this == OUT_OF_MEMORY || this == SCRIPTS_FORGOTTEN || this == ENTRY_PERSISTED;
    }

    @Override
    public String kind() {
        return switch (this) {
            case JVM_KILLED -> Fault.KILL;
            case JVM_TERMINATED -> Fault.TERMINATE;
            default -> name();
        };
    }
}
