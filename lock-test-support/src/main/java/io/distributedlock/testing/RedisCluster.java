/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of child processes on loopback: masters that share all slots evenly, and replicas. It forms in about
 * 2 s, whatever its size. The servers end with {@link #close()} and with this JVM, even if that is killed.
 */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

    /** A server drops a handshake that takes longer than its node time-out, as it may on a busy machine. */
    private static final Duration HANDSHAKES = Duration.ofSeconds(5);

    private static final Duration FAILOVER_GIVEN_UP = Duration.ofSeconds(6);

    private static @Nullable RedisCluster shared;

    private final List<ClusterNode> nodes;

    private final int masters;

    private final @Nullable ClusterBus bus;

    private RedisCluster(List<ClusterNode> nodes, int masters, @Nullable ClusterBus bus) {
        this.nodes = List.copyOf(nodes);
        this.masters = masters;
        this.bus = bus;
    }

    /**
     * Starts a cluster, and waits until all servers agree that it works and all replicas follow their masters.
     *
     * @param replicas of each master
     * @param nodeTimeout after what silence a server counts as failing; a failover takes about twice as long
     * @param settings lines for the configuration file of each server
     */
    public static RedisCluster start(int masters, int replicas, Duration nodeTimeout, String... settings) {
        return startAt(0, masters, replicas, nodeTimeout, settings);
    }

    /**
     * As {@link #start(int, int, Duration, String...)}, at consecutive ports.
     *
     * @param firstPort of as many as there are servers; their ports for each other follow; 0 for any free ports
     */
    public static RedisCluster startAt(
            int firstPort, int masters, int replicas, Duration nodeTimeout, String... settings) {
        return start(firstPort, masters, replicas, nodeTimeout, null, settings);
    }

    /** As {@link #start(int, int, Duration, String...)}, with servers that can be cut off from each other. */
    public static RedisCluster startDivisible(int masters, int replicas, Duration nodeTimeout, String... settings) {
        ClusterBus bus = new ClusterBus();
        try {
            return start(0, masters, replicas, nodeTimeout, bus, settings);
        } catch (RuntimeException e) {
            bus.close();
            throw e;
        }
    }

    private static RedisCluster start(
            int firstPort,
            int masters,
            int replicas,
            Duration nodeTimeout,
            @Nullable ClusterBus bus,
            String... settings) {
        List<ClusterNode> nodes = new ArrayList<>();
        int servers = masters * (1 + replicas);
        try {
            for (int i = 0; i < servers; i++) {
                int port = firstPort == 0 ? 0 : firstPort + i;
                int busPort = port == 0 ? EmbeddedRedis.freePort() : port + servers;
                nodes.add(startNode(port, busPort, nodeTimeout, bus, settings));
            }
            RedisCluster cluster = new RedisCluster(nodes, masters, bus);
            cluster.form();
            return cluster;
        } catch (RuntimeException e) {
            nodes.forEach(ClusterNode::close);
            throw e;
        }
    }

    /** As {@link #start(int, int, Duration, String...)}, with a node time-out of 1 s. */
    public static RedisCluster start(int masters, int replicas) {
        return start(masters, replicas, NODE_TIMEOUT);
    }

    /**
     * Three masters with a replica each, for all tests of this JVM; empty, and formed anew if a test has broken it. It
     * is not closed by tests.
     */
    public static synchronized RedisCluster shared() {
        RedisCluster current = shared;
        if (current != null && !current.isWhole()) {
            current.close();
            current = null;
        }
        if (current == null) {
            current = start(3, 1);
            shared = current;
        }
        current.flush();
        return current;
    }

    private static ClusterNode startNode(
            int port, int busPort, Duration nodeTimeout, @Nullable ClusterBus bus, String... settings) {
        int announced = bus == null ? busPort : bus.inFrontOf(busPort);
        List<String> lines = new ArrayList<>(List.of(
                "cluster-enabled yes",
                "cluster-port " + busPort,
                "cluster-announce-bus-port " + announced,
                "cluster-node-timeout " + nodeTimeout.toMillis(),
                "repl-diskless-sync-delay 0"));
        lines.addAll(List.of(settings));
        String[] all = lines.toArray(String[]::new);
        return new ClusterNode(port == 0 ? EmbeddedRedis.start(all) : EmbeddedRedis.start(port, all), announced, all);
    }

    private void form() {
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).text("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        }
        for (int i = 0; i < masters; i++) {
            int first = SLOTS * i / masters;
            int last = SLOTS * (i + 1) / masters - 1;
            nodes.get(i).text("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
        }
        Waiting.until("all servers know each other", () -> {
            introduce();
            return Waiting.within(HANDSHAKES, () -> nodes.stream().allMatch(this::knowsAll));
        });
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).text("CLUSTER", "REPLICATE", nodes.get(i % masters).id());
        }
        awaitWhole();
    }

    /**
     * Begins the handshakes that are missing between the first server and each other one. One of the two may know the
     * other from a handshake that the other one has dropped.
     */
    private void introduce() {
        ClusterNode first = nodes.get(0);
        for (ClusterNode other : nodes) {
            if (!first.knows(other)) {
                first.meet(other);
            } else if (!other.knows(first)) {
                other.meet(first);
            }
        }
    }

    private boolean knowsAll(ClusterNode node) {
        List<ClusterRow> rows = node.rows();
        return rows.size() == nodes.size() && rows.stream().noneMatch(ClusterRow::isHandshake);
    }

    /** All servers, dead ones included, in the order in which they were started: masters first. */
    public List<ClusterNode> nodes() {
        return nodes;
    }

    /** The servers whose process runs. A frozen one counts as alive. */
    public List<ClusterNode> alive() {
        return nodes.stream().filter(ClusterNode::isAlive).toList();
    }

    /** {@code host:port} of all servers, for {@code spring.data.redis.cluster.nodes}. */
    public List<String> addresses() {
        return nodes.stream().map(ClusterNode::toString).toList();
    }

    /** The servers that are masters with slots now, as a master that answers sees it. */
    public List<ClusterNode> masters() {
        return view(row -> row.isMaster() && !row.slots().isEmpty() && !row.isFailing());
    }

    /** The replicas of a master that are not failing. */
    public List<ClusterNode> replicasOf(ClusterNode master) {
        return view(row -> row.master().equals(master.id()) && !row.isFailing());
    }

    /** The master that has the slot now. Replicas hear of a move later than masters. */
    public ClusterNode masterOf(int slot) {
        ClusterNode likely = namedMasterOf(slot);
        return likely.owns(slot)
                ? likely
                : awake().filter(node -> node.owns(slot)).findFirst().orElse(likely);
    }

    private ClusterNode namedMasterOf(int slot) {
        return view(row -> row.isMaster() && row.has(slot)).get(0);
    }

    private Stream<ClusterNode> awake() {
        return alive().stream().filter(node -> !Processes.isStopped(node.redis().pid()));
    }

    /** The master that has the key now. */
    public ClusterNode masterOf(String key) {
        return masterOf(slotOf(key));
    }

    public int slotOf(String key) {
        return Integer.parseInt(alive().get(0).text("CLUSTER", "KEYSLOT", key));
    }

    private List<ClusterNode> view(Predicate<ClusterRow> wanted) {
        List<ClusterRow> rows = null;
        for (ClusterNode node : alive()) {
            rows = rowsOf(node);
            if (rows != null) {
                break;
            }
        }
        return Objects.requireNonNull(rows, "No server answers").stream()
                .filter(wanted)
                .map(row -> node(row.id()))
                .toList();
    }

    private @Nullable List<ClusterRow> rowsOf(ClusterNode node) {
        if (Processes.isStopped(node.redis().pid())) {
            return null;
        }
        return node.info("cluster_state").equals("ok") ? node.rows() : null;
    }

    private ClusterNode node(String id) {
        return nodes.stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
    }

    /** The move of a slot from its master to another one; nothing happens yet. */
    public SlotMove move(int slot, ClusterNode target) {
        return new SlotMove(this, slot, masterOf(slot), target);
    }

    /**
     * Makes a replica the master by CLUSTER FAILOVER, and waits until all servers know it. The others do not vote about
     * a master twice within two node time-outs, and Redis gives the failover up after five seconds then; so it is asked
     * for again.
     */
    public void failover(ClusterNode replica) {
        long[] asked = {System.nanoTime()};
        replica.text("CLUSTER", "FAILOVER");
        Waiting.until(replica + " is the master, and the one before follows it", () -> {
            if (System.nanoTime() - asked[0] > FAILOVER_GIVEN_UP.toNanos() && !replica.isMaster()) {
                asked[0] = System.nanoTime();
                replica.text("CLUSTER", "FAILOVER");
            }
            return isMasterForAll(replica) && !replicasOf(replica).isEmpty();
        });
    }

    /** Waits until this server is a master, and every server that is alive and not frozen sees it as one. */
    public void awaitMaster(ClusterNode node) {
        Waiting.until(node + " is a master", () -> isMasterForAll(node));
    }

    private boolean isMasterForAll(ClusterNode node) {
        return alive().stream()
                .filter(other -> !Processes.isStopped(other.redis().pid()))
                .allMatch(other -> other.rows().stream()
                        .anyMatch(row -> row.id().equals(node.id())
                                && row.isMaster()
                                && !row.slots().isEmpty()));
    }

    /**
     * Waits until the cluster works, with all servers that are alive, all replicas follow, and every server knows that:
     * a former master is a replica by its own account before the others hear of it.
     */
    public void awaitWhole() {
        Waiting.until("the cluster works", () -> alive().stream().allMatch(this::isSettled) && isKnownToAll());
    }

    private boolean isKnownToAll() {
        List<ClusterRow> rows =
                alive().stream().flatMap(node -> node.rows().stream()).toList();
        return rows.stream()
                .filter(ClusterRow::isOwn)
                .allMatch(own -> rows.stream()
                        .filter(row -> row.id().equals(own.id()))
                        .allMatch(row -> !row.isFailing() && row.master().equals(own.master())));
    }

    private boolean isSettled(ClusterNode node) {
        return node.info("cluster_state").equals("ok")
                && node.info("cluster_slots_ok").equals(Integer.toString(SLOTS))
                && (node.isMaster() || node.isFollowing());
    }

    private boolean isWhole() {
        return alive().size() == nodes.size()
                && nodes.stream()
                        .noneMatch(node -> Processes.isStopped(node.redis().pid()))
                && nodes.stream().allMatch(this::isSettled)
                && masters().size() == masters
                && nodes.stream().allMatch(node -> node.rows().stream().noneMatch(ClusterRow::hasMovingSlots));
    }

    /**
     * Cuts a server off from the others until {@link #heal()}: it does not hear them, nor they it. Clients and its
     * replicas still reach it. The cluster must have been started as divisible.
     */
    public void cutOff(ClusterNode node) {
        divisible().cutOff(node);
    }

    /** All servers hear each other again. */
    public void heal() {
        divisible().heal();
    }

    private ClusterBus divisible() {
        if (bus == null) {
            throw new IllegalStateException("The servers of this cluster cannot be cut off from each other");
        }
        return bus;
    }

    /** Removes all keys. */
    public void flush() {
        masters().forEach(master -> master.text("FLUSHALL"));
    }

    @Override
    public void close() {
        nodes.forEach(ClusterNode::close);
        if (bus != null) {
            bus.close();
        }
    }
}
