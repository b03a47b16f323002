/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.TcpStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** A cluster of three masters with a replica each. */
final class ClusterTarget implements FaultTarget {

    /** On a busy machine, servers must not take each other for dead unless that is the fault. */
    private static final Duration PATIENT = Duration.ofSeconds(15);

    private static final Duration IMPATIENT = Duration.ofSeconds(1);

    private final RedisCluster cluster = RedisCluster.startDivisible(3, 1, PATIENT);

    private final ServerClocks clocks = new ServerClocks();

    RedisCluster cluster() {
        return cluster;
    }

    ServerClocks clocks() {
        return clocks;
    }

    @Override
    public boolean redirects() {
        return true;
    }

    @Override
    public TcpStream.Editor editor(int server) {
        return clocks.editor(server);
    }

    /** The server that has the lock. */
    ClusterNode masterOf(String name) {
        return cluster.masterOf(key(name));
    }

    int slotOf(String name) {
        return cluster.slotOf(key(name));
    }

    static String key(String name) {
        return FaultTestbed.PREFIX + "{" + name + "}";
    }

    /** A random name of the round. */
    static String any(FaultTestbed<ClusterTarget> testbed, Random random) {
        return testbed.names().get(random.nextInt(testbed.names().size()));
    }

    /** Servers notice the death of others soon, until the action is over. */
    <R> R withFailovers(Supplier<R> action) {
        setNodeTimeout(IMPATIENT);
        try {
            return action.get();
        } finally {
            setNodeTimeout(PATIENT);
        }
    }

    private void setNodeTimeout(Duration timeout) {
        setAll("cluster-node-timeout", Long.toString(timeout.toMillis()));
    }

    void setAll(String setting, String value) {
        cluster.alive().forEach(node -> node.text("CONFIG", "SET", setting, value));
    }

    /** How often all servers have answered with errors of these kinds. */
    long errors(String... kinds) {
        return cluster.alive().stream()
                .mapToLong(node -> ReplicaFaults.errors(node, kinds))
                .sum();
    }

    @Override
    public List<Integer> ports() {
        return cluster.nodes().stream().map(RedisNode::port).toList();
    }

    @Override
    public InstanceConnection connection(Map<Integer, Integer> proxies) {
        return new InstanceConnection(InstanceConnection.Topology.CLUSTER, ports(), proxies);
    }

    @Override
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        cluster.masters().forEach(master -> keys.addAll(ReplicaFaults.locks(master)));
        return keys;
    }

    @Override
    public long millisToLive(String key) {
        return Long.parseLong(cluster.masterOf(key).text("PTTL", key));
    }

    /** An instance may have several channels at a master for a while, after moves of slots. */
    @Override
    public List<Integer> listeningInstances() {
        return cluster.masters().stream().map(ClusterTarget::listeners).toList();
    }

    private static int listeners(ClusterNode master) {
        return (int) master.list("PUBSUB", "SHARDCHANNELS", FaultTestbed.PREFIX + "*").stream()
                .map(channel -> channel.substring(0, channel.indexOf('{')))
                .distinct()
                .count();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
