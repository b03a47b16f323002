/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.Set;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis Cluster. */
final class ClusterServer implements LockServer, AutoCloseable {

    private final RedisCluster cluster;

    ClusterServer(RedisCluster cluster) {
        this.cluster = cluster;
    }

    RedisCluster cluster() {
        return cluster;
    }

    @Override
    public LettuceConnectionFactory newConnectionFactory() {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisClusterConfiguration(cluster.addresses()),
                LettuceClientConfiguration.builder()
                        .clientResources(StandaloneServer.resources())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @Override
    public List<EmbeddedRedis> servers() {
        return cluster.masters().stream().map(ClusterNode::redis).toList();
    }

    @Override
    public String publishCommand() {
        return "spublish";
    }

    /**
     * The clocks, the subscriptions, and the topology, which Lettuce reads on connections of its own that it opens for
     * that.
     */
    @Override
    public Set<String> routineCommands() {
        return Set.of("time", "ssubscribe", "sunsubscribe", "cluster", "hello", "client", "select", "readonly");
    }

    /** Without those of free locks whose token is kept until the clock has passed it. */
    @Override
    public List<String> keys(String prefix) {
        return LockServer.super.keys(prefix).stream().filter(this::isLock).toList();
    }

    private boolean isLock(String key) {
        try (RespClient client = serverOf(key).connect()) {
            return !client.text("TYPE", key).equals("hash") || client.number("HEXISTS", key, "o") == 1;
        }
    }

    @Override
    public EmbeddedRedis serverOf(String key) {
        return cluster.masterOf(key).redis();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
