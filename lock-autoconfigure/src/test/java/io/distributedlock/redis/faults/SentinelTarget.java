/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.SentinelGroup;
import java.util.List;
import java.util.Map;

/** A master and its replica, watched by three Sentinels. */
final class SentinelTarget implements FaultTarget {

    private final SentinelGroup group = SentinelGroup.start(1);

    SentinelGroup group() {
        return group;
    }

    /** The server that is not the master. */
    RedisNode replica(RedisNode master) {
        return group.servers().stream()
                .filter(server -> server != master)
                .findFirst()
                .orElseThrow();
    }

    /** An instance leaves a connection whose port is not the one that the Sentinels name, so there are no proxies. */
    @Override
    public List<Integer> ports() {
        return List.of();
    }

    @Override
    public InstanceConnection connection(Map<Integer, Integer> proxies) {
        List<Integer> sentinels =
                group.sentinels().stream().map(RedisNode::port).toList();
        return new InstanceConnection(InstanceConnection.Topology.SENTINEL, sentinels, proxies);
    }

    @Override
    public List<String> keys() {
        return ReplicaFaults.locks(group.master());
    }

    @Override
    public long millisToLive(String key) {
        return Long.parseLong(group.master().text("PTTL", key));
    }

    @Override
    public List<Integer> listeningInstances() {
        return List.of(listeners(group.master()));
    }

    static int listeners(RedisNode server) {
        return server.list("PUBSUB", "CHANNELS", FaultTestbed.PREFIX + "*").size();
    }

    @Override
    public void close() {
        group.close();
    }
}
