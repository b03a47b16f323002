/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.SlotMove;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** What happens to the servers of a cluster, and to its slots. */
final class ClusterFaults {

    private static final int FAILOVER_LIMIT = 30_000;

    private static final int SOON = 5_000;

    /** Until each instance has read the clock of each server several times. */
    private static final int KNOWN_LIMIT = 15_000;

    private static final int FLUSHES = 20;

    private static final int MOVES = 4;

    /** Until instances have been redirected: those that stand still for a moment are not. */
    private static final int MOVES_LIMIT = 10_000;

    private static final int STORM_MOVES = 12;

    private static final Duration ALMOST_RIGHT = Duration.ofMillis(50);

    private static final Duration FAR_AHEAD = Duration.ofSeconds(5);

    private ClusterFaults() {}

    /** One slot after the other, with the entries in it; for a moment, each is here and there. */
    static boolean moveSlots(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        long before = redis.errors("ASK", "MOVED");
        int[] moves = {0};
        int[] keys = {0};
        return Waits.until(MOVES_LIMIT, () -> {
            SlotMove move =
                    move(redis, ClusterTarget.any(testbed, random), random).begin();
            Waits.pause(random.nextInt(60));
            keys[0] += move.migrateKeys();
            Waits.pause(random.nextInt(60));
            move.finish();
            return ++moves[0] >= MOVES && keys[0] > 0 && redis.errors("ASK", "MOVED") > before;
        });
    }

    /** All slots with locks, back and forth without a pause, so that no instance can know where any of them is. */
    static boolean moveSlotsAllTheTime(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        long before = redis.errors("MOVED");
        int[] moves = {0};
        Waits.until(MOVES_LIMIT, () -> {
            move(redis, ClusterTarget.any(testbed, random), random).begin().finish();
            moves[0]++;
            return moves[0] >= STORM_MOVES && redis.errors("MOVED") >= before + STORM_MOVES;
        });
        return moves[0] >= STORM_MOVES && redis.errors("MOVED") >= before + STORM_MOVES;
    }

    private static SlotMove move(ClusterTarget redis, String name, Random random) {
        RedisCluster cluster = redis.cluster();
        ClusterNode source = redis.masterOf(name);
        List<ClusterNode> others =
                cluster.masters().stream().filter(node -> node != source).toList();
        return cluster.move(redis.slotOf(name), others.get(random.nextInt(others.size())));
    }

    /** By command, so nothing is lost. */
    static boolean failOver(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        ClusterNode master = redis.masterOf(ClusterTarget.any(testbed, random));
        ClusterNode replica = redis.cluster().replicasOf(master).get(0);
        long before = redis.errors("MOVED");
        return redis.withFailovers(() -> {
            redis.cluster().failover(replica);
            boolean noticed = Waits.until(SOON, () -> redis.errors("MOVED") > before);
            redis.cluster().awaitWhole();
            return noticed && replica.isMaster() && !master.isMaster();
        });
    }

    /** The promoted replica lacks what was confirmed last. The lock that a team shares is often among it. */
    static boolean killMaster(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        String name = random.nextBoolean() ? testbed.names().get(0) : ClusterTarget.any(testbed, random);
        ClusterNode master = redis.masterOf(name);
        ClusterNode replica = redis.cluster().replicasOf(master).get(0);
        return redis.withFailovers(() -> {
            boolean lost = ReplicaFaults.killWithoutReplication(testbed, master, replica, random);
            boolean promoted = Waits.until(FAILOVER_LIMIT, replica::isMaster);
            redis.cluster().awaitMaster(replica);
            master.restart();
            redis.cluster().awaitWhole();
            return lost && promoted && !master.isMaster();
        });
    }

    /** Its replica takes its place. When it goes on, it does not know that yet, and requests lie in its sockets. */
    static boolean freezeMaster(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        ClusterNode master = redis.masterOf(ClusterTarget.any(testbed, random));
        ClusterNode replica = redis.cluster().replicasOf(master).get(0);
        return redis.withFailovers(() -> {
            master.freeze();
            try {
                redis.cluster().awaitMaster(replica);
                Waits.pause(random.nextInt(500));
            } finally {
                master.wake();
            }
            redis.cluster().awaitWhole();
            return replica.isMaster() && !master.isMaster();
        });
    }

    /**
     * The third master is cut off from most of the others, and no replica can be elected. Without this, a replica of a
     * master that has just gone on could be elected, and data be lost.
     */
    static boolean freezeMajority(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        List<ClusterNode> masters = redis.cluster().masters();
        ClusterNode left = masters.get(random.nextInt(masters.size()));
        List<ClusterNode> frozen = masters.stream().filter(node -> node != left).toList();
        long before = ReplicaFaults.errors(left, "CLUSTERDOWN");
        redis.setAll("cluster-replica-no-failover", "yes");
        return redis.withFailovers(() -> {
            boolean refused;
            frozen.forEach(RedisNode::freeze);
            try {
                refused = Waits.until(FAILOVER_LIMIT, () -> ReplicaFaults.errors(left, "CLUSTERDOWN") > before);
                Waits.pause(random.nextInt(500));
            } finally {
                frozen.forEach(RedisNode::wake);
            }
            redis.cluster().awaitWhole();
            redis.setAll("cluster-replica-no-failover", "no");
            return refused && masters.stream().allMatch(RedisNode::isMaster);
        });
    }

    /**
     * The others replace it, while it serves clients as a master until it notices that it is alone. Its replica follows
     * it until it is promoted, so nothing is lost.
     */
    static boolean cutMasterOff(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        ClusterNode master = redis.masterOf(ClusterTarget.any(testbed, random));
        ClusterNode replica = redis.cluster().replicasOf(master).get(0);
        return redis.withFailovers(() -> {
            long epoch = Long.parseLong(replica.info("cluster_current_epoch"));
            long refused = ReplicaFaults.errors(master, "CLUSTERDOWN");
            long served = ReplicaFaults.scripts(master);
            redis.cluster().cutOff(master);
            boolean both;
            boolean bothServed;
            try {
                bothServed = Waits.until(SOON, () -> ReplicaFaults.scripts(master) > served);
                both = Waits.until(FAILOVER_LIMIT, replica::isMaster) && master.isMaster();
                bothServed &= Waits.until(SOON, () -> ReplicaFaults.scripts(replica) > 0);
                Waits.pause(random.nextInt(500));
            } finally {
                redis.cluster().heal();
            }
            redis.cluster().awaitWhole();
            return both
                    && bothServed
                    && ReplicaFaults.errors(master, "CLUSTERDOWN") > refused
                    && Long.parseLong(replica.info("cluster_current_epoch")) > epoch
                    && !master.isMaster();
        });
    }

    /**
     * Two clocks are set ahead, and stay ahead: a clock that goes back is another fault. Then slots move between all
     * servers.
     */
    static boolean setClocksAhead(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        List<ClusterNode> masters = redis.cluster().masters();
        redis.clocks().setAhead(masters.get(0).port(), ALMOST_RIGHT);
        redis.clocks().setAhead(masters.get(1).port(), FAR_AHEAD);
        if (!Waits.until(KNOWN_LIMIT, () -> isKnown(testbed, masters.get(0)) && isKnown(testbed, masters.get(1)))) {
            return false;
        }
        boolean moved = moveSlots(testbed, victim, random);
        return Waits.until(
                        SOON,
                        () -> redis.clocks().edits(masters.get(0).port()) > 0
                                && redis.clocks().edits(masters.get(1).port()) > 0)
                && moved;
    }

    /** An instance reads the clocks each second. A clock that is set while slots move is another fault. */
    private static boolean isKnown(FaultTestbed<ClusterTarget> testbed, ClusterNode server) {
        return testbed.redis().clocks().readers(server.port())
                >= testbed.members().size();
    }

    /** A fault of the network between one JVM and one master. */
    static Injection<ClusterTarget> onTheWayToOneMaster(Injection<ClusterTarget> fault) {
        return (testbed, victim, random) -> {
            victim.choose(
                    testbed.redis().masterOf(ClusterTarget.any(testbed, random)).port());
            return fault.inject(testbed, victim, random);
        };
    }

    static boolean forgetScripts(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        ClusterTarget redis = testbed.redis();
        long before = redis.errors("NOSCRIPT");
        int[] times = {0};
        return Waits.until(SOON, () -> {
            redis.cluster().masters().forEach(master -> master.text("SCRIPT", "FLUSH"));
            return ++times[0] >= FLUSHES && redis.errors("NOSCRIPT") > before;
        });
    }

    static boolean killConnections(FaultTestbed<ClusterTarget> testbed, ClientProcess victim, Random random) {
        long killed = 0;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            for (ClusterNode node : testbed.redis().cluster().nodes()) {
                for (String type : List.of("normal", "pubsub")) {
                    killed += Long.parseLong(node.text("CLIENT", "KILL", "TYPE", type));
                }
            }
            Waits.pause(random.nextInt(50));
        }
        return killed > 0;
    }
}
