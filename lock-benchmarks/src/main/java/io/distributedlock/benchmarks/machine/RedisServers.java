/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.ReplicatedRedis;
import java.time.Duration;
import java.util.List;

/** The servers of one topology, and the counters of all of them. */
public final class RedisServers implements AutoCloseable {

    private static final int MASTERS = 3;

    /** Longer than a busy machine keeps a server from replying, so that no failover disturbs a measurement. */
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(10);

    private final int port;

    private final RedisCounters counters;

    private final Runnable end;

    private RedisServers(List<EmbeddedRedis> masters, List<EmbeddedRedis> replicas, Runnable end) {
        this.port = masters.get(0).port();
        this.counters = new RedisCounters(masters, replicas);
        this.end = end;
    }

    public static RedisServers start(Topology topology) {
        return switch (topology) {
            case ONE_SERVER -> one();
            case REPLICATED -> replicated();
            case CLUSTER -> cluster();
        };
    }

    private static RedisServers one() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        return new RedisServers(List.of(redis), List.of(), redis::close);
    }

    private static RedisServers replicated() {
        ReplicatedRedis group = ReplicatedRedis.startDirect(1);
        return new RedisServers(List.of(group.master().redis()), processes(group.replicas()), group::close);
    }

    private static RedisServers cluster() {
        RedisCluster cluster = RedisCluster.start(MASTERS, 1, NODE_TIMEOUT);
        List<EmbeddedRedis> all = processes(cluster.nodes());
        return new RedisServers(all.subList(0, MASTERS), all.subList(MASTERS, all.size()), cluster::close);
    }

    private static List<EmbeddedRedis> processes(List<? extends RedisNode> nodes) {
        return nodes.stream().map(RedisNode::redis).toList();
    }

    /** The port of the server, of the master, or of one of the masters of the cluster. */
    public int port() {
        return port;
    }

    public RedisCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        counters.close();
        end.run();
    }
}
