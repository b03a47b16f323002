/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A master, its replicas, and three Sentinels that watch them, as child processes. Two Sentinels have to agree. A
 * failover begins when the master was silent for 1 s.
 */
public final class SentinelGroup implements AutoCloseable {

    /** The name by which the Sentinels know the master. */
    public static final String MASTER_NAME = "main";

    private static final int SENTINELS = 3;

    private static final Duration FAILOVER_GIVEN_UP = Duration.ofSeconds(10);

    private final List<RedisNode> servers = new ArrayList<>();

    private final List<RedisNode> sentinels = new ArrayList<>();

    private final List<Integer> tlsPorts = new ArrayList<>();

    private @Nullable RedisNode failingOver;

    private SentinelGroup() {}

    /** As {@link #start(int, List, String...)}, without settings for the Sentinels. */
    public static SentinelGroup start(int replicas, String... settings) {
        return start(replicas, List.of(), settings);
    }

    /**
     * Starts all processes, and waits until the Sentinels know each other and the replicas.
     *
     * @param sentinelSettings lines for the configuration file of each Sentinel
     * @param settings lines for the configuration file of each server
     */
    public static SentinelGroup start(int replicas, List<String> sentinelSettings, String... settings) {
        return start(0, replicas, sentinelSettings, settings);
    }

    /**
     * As {@link #start(int, String...)}, at consecutive ports: first the Sentinels, then the master, then its replicas.
     */
    public static SentinelGroup startAt(int firstPort, int replicas, String... settings) {
        return start(firstPort, replicas, List.of(), settings);
    }

    private static SentinelGroup start(int firstPort, int replicas, List<String> sentinelSettings, String... settings) {
        SentinelGroup group = new SentinelGroup();
        try {
            int masterPort = firstPort == 0 ? 0 : firstPort + SENTINELS;
            RedisNode master = startServer(masterPort, ReplicatedRedis.with(settings));
            group.servers.add(master);
            for (int i = 0; i < replicas; i++) {
                int port = masterPort == 0 ? 0 : masterPort + 1 + i;
                String[] lines = ReplicatedRedis.with(settings, "replicaof 127.0.0.1 " + master.port());
                group.servers.add(startServer(port, lines));
            }
            for (int i = 0; i < SENTINELS; i++) {
                int port = firstPort == 0 ? 0 : firstPort + i;
                group.sentinels.add(startSentinel(port, master.port(), sentinelSettings));
            }
            group.awaitAgreement();
            return group;
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /**
     * A master and three Sentinels, all with a TLS port beside their plain one. The Sentinels name the master's TLS
     * port.
     */
    public static SentinelGroup startTls(TlsFiles tls) {
        SentinelGroup group = new SentinelGroup();
        try {
            int master = EmbeddedRedis.freePort();
            group.servers.add(
                    new RedisNode(EmbeddedRedis.start(tls.settings(master).toArray(String[]::new))));
            for (int i = 0; i < SENTINELS; i++) {
                int port = EmbeddedRedis.freePort();
                List<String> settings = new ArrayList<>(tls.settings(port));
                settings.add("tls-replication yes");
                group.sentinels.add(startSentinel(0, master, settings));
                group.tlsPorts.add(port);
            }
            Waiting.until(
                    "the Sentinels agree",
                    () -> group.sentinels.stream().allMatch(sentinel -> group.isContent(sentinel, master)));
            return group;
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /** The TLS ports of the Sentinels, if they have some. */
    public List<Integer> tlsPorts() {
        return tlsPorts;
    }

    private static RedisNode startServer(int port, String... settings) {
        return new RedisNode(port == 0 ? EmbeddedRedis.start(settings) : EmbeddedRedis.start(port, settings), settings);
    }

    private static RedisNode startSentinel(int port, int master, List<String> settings) {
        List<String> lines = new ArrayList<>(List.of(
                "sentinel monitor " + MASTER_NAME + " 127.0.0.1 " + master + " 2",
                "sentinel down-after-milliseconds " + MASTER_NAME + " 1000",
                "sentinel failover-timeout " + MASTER_NAME + " 1000",
                "sentinel parallel-syncs " + MASTER_NAME + " 1"));
        lines.addAll(settings);
        String[] all = lines.toArray(String[]::new);
        return new RedisNode(EmbeddedRedis.startSentinel(port, all), all);
    }

    /**
     * Waits until every Sentinel that runs sees all other Sentinels, all servers, and the same master, which it takes
     * for alive and is not replacing, and until all other servers that run follow that master.
     */
    public void awaitAgreement() {
        Waiting.until("the Sentinels agree, and the replicas follow", () -> {
            RedisNode master = master();
            return sentinels.stream()
                            .filter(RedisNode::isAlive)
                            .allMatch(sentinel -> isContent(sentinel, master.port()))
                    && servers.stream()
                            .filter(RedisNode::isAlive)
                            .allMatch(server -> server == master ? server.isMaster() : server.isFollowing());
        });
    }

    private boolean isContent(RedisNode sentinel, int master) {
        List<String> fields = sentinel.list("SENTINEL", "MASTER", MASTER_NAME);
        return field(fields, "num-other-sentinels").equals(Integer.toString(SENTINELS - 1))
                && field(fields, "num-slaves").equals(Integer.toString(servers.size() - 1))
                && field(fields, "port").equals(Integer.toString(master))
                && field(fields, "flags").equals("master");
    }

    private static String field(List<String> fields, String name) {
        return fields.get(fields.indexOf(name) + 1);
    }

    /**
     * Changes after what silence of the master the Sentinels that run replace it. They keep it when they are restarted.
     */
    public void setPatience(Duration silence) {
        sentinels.stream()
                .filter(RedisNode::isAlive)
                .forEach(sentinel -> sentinel.text(
                        "SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", Long.toString(silence.toMillis())));
    }

    /** All servers, dead ones included. The first one was the master at the start. */
    public List<RedisNode> servers() {
        return servers;
    }

    public List<RedisNode> sentinels() {
        return sentinels;
    }

    /** {@code host:port} of the Sentinels, for {@code spring.data.redis.sentinel.nodes}. */
    public List<String> addresses() {
        return sentinels.stream().map(RedisNode::toString).toList();
    }

    /** The master that most of the Sentinels that run name at this moment. */
    public RedisNode master() {
        return servers.stream()
                .filter(server -> sentinels.stream()
                                .filter(sentinel -> sentinel.isAlive() && portOfMaster(sentinel) == server.port())
                                .count()
                        >= 2)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The Sentinels do not agree"));
    }

    private static int portOfMaster(RedisNode sentinel) {
        return Integer.parseInt(sentinel.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME)
                .get(1));
    }

    /** Has a Sentinel begin a failover without a fault. Does not wait for its end. */
    public void failover() {
        failingOver = master();
        Waiting.until(
                "a Sentinel begins a failover",
                () -> sentinels.stream()
                        .filter(RedisNode::isAlive)
                        .findFirst()
                        .orElseThrow()
                        .text("SENTINEL", "FAILOVER", MASTER_NAME)
                        .equals("OK"));
    }

    /**
     * Waits until most of the Sentinels name another master than this one, and returns it. On a busy machine, a
     * Sentinel may give up a failover by command, which is then begun again.
     */
    public RedisNode awaitSwitchFrom(RedisNode old) {
        Waiting.until("the Sentinels name another master than " + old, () -> {
            boolean switched = Waiting.within(FAILOVER_GIVEN_UP, () -> master() != old);
            if (!switched && old == failingOver) {
                failover();
            }
            return switched;
        });
        failingOver = null;
        return master();
    }

    @Override
    public void close() {
        sentinels.forEach(RedisNode::close);
        servers.forEach(RedisNode::close);
    }
}
