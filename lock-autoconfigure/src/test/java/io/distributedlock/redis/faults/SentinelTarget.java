/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.SentinelGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A master and its replica, watched by three Sentinels. They replace a silent master soon only where a fault is about
 * that: on a machine that stands still for a second, they would lose data in a row that allows no loss.
 */
final class SentinelTarget implements FaultTarget {

    private static final Duration IMPATIENT = Duration.ofSeconds(1);

    private static final Duration PATIENT = Duration.ofMinutes(10);

    private final SentinelGroup group = SentinelGroup.start(1);

    SentinelTarget() {
        group.setPatience(PATIENT);
    }

    SentinelGroup group() {
        return group;
    }

    /** The Sentinels replace a silent master soon, until the action is over. */
    <R> R withFailovers(Supplier<R> action) {
        group.setPatience(IMPATIENT);
        try {
            return action.get();
        } finally {
            group.setPatience(PATIENT);
        }
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
