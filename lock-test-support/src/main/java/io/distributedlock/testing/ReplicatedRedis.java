/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * A master and its replicas, without Sentinel or cluster. Each replica follows the first master through a proxy of its
 * own, so that it can be cut off, unless it was started without.
 */
public final class ReplicatedRedis implements AutoCloseable {

    private final RedisNode master;

    private final List<RedisNode> replicas = new ArrayList<>();

    private final List<TcpProxy> proxies = new ArrayList<>();

    private ReplicatedRedis(RedisNode master) {
        this.master = master;
    }

    /** Starts all servers, and waits until the replicas follow. */
    public static ReplicatedRedis start(int replicas, String... settings) {
        return start(replicas, true, settings);
    }

    /** As {@link #start(int, String...)}, without proxies, which take time: the replicas cannot be cut off. */
    public static ReplicatedRedis startDirect(int replicas, String... settings) {
        return start(replicas, false, settings);
    }

    private static ReplicatedRedis start(int replicas, boolean divisible, String... settings) {
        ReplicatedRedis group = new ReplicatedRedis(new RedisNode(EmbeddedRedis.start(with(settings))));
        try {
            for (int i = 0; i < replicas; i++) {
                group.addReplica(divisible, settings);
            }
            Waiting.until("the replicas follow", () -> group.replicas.stream().allMatch(RedisNode::isFollowing));
            return group;
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
    }

    static String[] with(String[] settings, String... more) {
        List<String> lines = new ArrayList<>(List.of("repl-diskless-sync-delay 0"));
        lines.addAll(List.of(more));
        lines.addAll(List.of(settings));
        return lines.toArray(String[]::new);
    }

    private void addReplica(boolean divisible, String... settings) {
        int port = divisible ? proxy().port() : master.port();
        replicas.add(new RedisNode(EmbeddedRedis.start(with(settings, "replicaof 127.0.0.1 " + port))));
    }

    private TcpProxy proxy() {
        TcpProxy proxy = TcpProxy.to(master.port());
        proxies.add(proxy);
        return proxy;
    }

    /** The server that was the master at first. */
    public RedisNode master() {
        return master;
    }

    public List<RedisNode> replicas() {
        return replicas;
    }

    /** {@code host:port} of all servers, the master first. */
    public List<String> addresses() {
        List<String> addresses = new ArrayList<>(List.of(master.toString()));
        replicas.forEach(replica -> addresses.add(replica.toString()));
        return addresses;
    }

    /** Lets nothing through between the first master and this replica. The connection stays open. */
    public void cutOff(RedisNode replica) {
        proxies.get(replicas.indexOf(replica)).blackHole();
    }

    /** Ends {@link #cutOff(RedisNode)}. */
    public void reconnect(RedisNode replica) {
        proxies.get(replicas.indexOf(replica)).heal();
    }

    /** Makes the replica a master. All others that run are made its replicas, the first master too. */
    public void promote(RedisNode replica) {
        replica.text("REPLICAOF", "NO", "ONE");
        List<RedisNode> others = new ArrayList<>(replicas);
        others.add(master);
        others.remove(replica);
        others.stream().filter(RedisNode::isAlive).forEach(other -> follow(other, replica));
    }

    private static void follow(RedisNode replica, RedisNode master) {
        replica.text("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
    }

    @Override
    public void close() {
        replicas.forEach(RedisNode::close);
        master.close();
        proxies.forEach(TcpProxy::close);
    }
}
