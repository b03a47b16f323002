/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.List;

/** A server of a {@link RedisCluster}. */
public final class ClusterNode extends RedisNode {

    private final String id;

    private final int busPort;

    ClusterNode(EmbeddedRedis redis, int busPort, String... settings) {
        super(redis, settings);
        this.busPort = busPort;
        this.id = text("CLUSTER", "MYID");
    }

    /** The id by which the servers of the cluster know each other. */
    public String id() {
        return id;
    }

    int busPort() {
        return busPort;
    }

    /** The rows of CLUSTER NODES, as this server sees the cluster. */
    List<ClusterRow> rows() {
        return text("CLUSTER", "NODES").lines().map(ClusterRow::parse).toList();
    }

    boolean knows(ClusterNode other) {
        return rows().stream().anyMatch(row -> row.id().equals(other.id()));
    }

    /** Begins a handshake. */
    void meet(ClusterNode other) {
        text("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()), Integer.toString(other.busPort()));
    }

    /** Whether this server itself says that it is the master of the slot. */
    boolean owns(int slot) {
        return rows().stream().anyMatch(row -> row.isOwn() && row.isMaster() && row.has(slot));
    }

    /** The configuration epoch of a server, as this one knows it. */
    long epochOf(ClusterNode node) {
        return rows().stream()
                .filter(row -> row.id().equals(node.id()))
                .mapToLong(ClusterRow::epoch)
                .findFirst()
                .orElse(0);
    }

    /** A field of CLUSTER INFO. */
    public String info(String field) {
        return text("CLUSTER", "INFO")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No such field: " + field));
    }
}
