/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.sample.RedisServer.Role;
import io.distributedlock.sample.RedisServer.State;
import io.distributedlock.testing.SentinelGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** A master and two replicas, and three Sentinels that watch them. */
final class SentinelShape implements GroupShape {

    private static final int SENTINELS = 3;

    private static final int REPLICAS = 2;

    private static final String MASTER = SentinelGroup.MASTER_NAME;

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** A master without replicas, such as one that was replaced and does not know it yet, refuses writes. */
    private static final String REPLICAS_TO_WRITE = "min-replicas-to-write";

    private final int first;

    SentinelShape(int first) {
        this.first = first;
    }

    @Override
    public String description() {
        return "a master, 2 replicas and 3 Sentinels";
    }

    @Override
    public String mode() {
        return "sentinel";
    }

    @Override
    public List<Integer> ports() {
        return Stream.concat(sentinels().stream(), servers().stream()).toList();
    }

    private List<Integer> sentinels() {
        return IntStream.range(first, first + SENTINELS).boxed().toList();
    }

    private List<Integer> servers() {
        int master = first + SENTINELS;
        return IntStream.rangeClosed(master, master + REPLICAS).boxed().toList();
    }

    @Override
    public Started start() {
        String[] settings = Stream.concat(Stream.of(SharedRedis.durable()), Stream.of(REPLICAS_TO_WRITE + " 1"))
                .toArray(String[]::new);
        SentinelGroup group = SentinelGroup.startAt(first, REPLICAS, settings);
        return new Started(group.servers(), group::close);
    }

    @Override
    public List<RedisServer> look() {
        int master = master();
        return Stream.concat(
                        servers().stream().map(port -> server(port, master)),
                        sentinels().stream().map(SentinelShape::sentinel))
                .toList();
    }

    private static RedisServer server(int port, int master) {
        List<String> role = Probe.request(port, client -> client.list("ROLE")).orElse(List.of());
        boolean inMasterRole = !role.isEmpty() && role.get(0).equals("master");
        if (port == master) {
            State state = role.isEmpty() ? State.DOWN : inMasterRole ? State.UP : State.SYNCING;
            return RedisServer.master(port, "all data", state);
        }
        if (role.isEmpty() || inMasterRole) {
            return RedisServer.replica(port, 0, role.isEmpty() ? State.DOWN : State.SYNCING);
        }
        State state = role.get(3).equals("connected") ? State.UP : State.SYNCING;
        return RedisServer.replica(port, Integer.parseInt(role.get(2)), state);
    }

    private static RedisServer sentinel(int port) {
        Optional<Integer> named = namedBy(port);
        return new RedisServer(
                port,
                Role.SENTINEL,
                named.map(master -> "names " + RedisServer.address(master)).orElse(""),
                named.isPresent() ? State.UP : State.DOWN);
    }

    /** The master that most Sentinels name; 0 if no Sentinel replies. */
    private int master() {
        return sentinels().stream()
                .flatMap(port -> namedBy(port).stream())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
                .entrySet()
                .stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(0);
    }

    private static Optional<Integer> namedBy(int sentinel) {
        return Probe.request(
                sentinel,
                client -> Integer.valueOf(client.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
                        .get(1)));
    }

    @Override
    public boolean works() {
        List<RedisServer> all = look();
        return all.stream().anyMatch(server -> server.isMaster() && server.isUp())
                && all.stream().anyMatch(server -> server.role() == Role.REPLICA && server.isUp());
    }

    /**
     * During a failover, Sentinel alone lets the old master accept writes for seconds, and these writes are lost. So
     * the old master is first made to refuse writes, and follows the new master at once.
     */
    @Override
    public void failOver(int master) {
        writableWith(master, REPLICAS + 1);
        try {
            awaitReplicas(master);
            if (!Probe.await(LIMIT, this::aSentinelBegins) || !Probe.await(LIMIT, () -> isReplaced(master))) {
                throw new IllegalStateException("The Sentinels have not replaced the master. Try again.");
            }
            follow(master, master());
        } finally {
            writableWith(master, 1);
        }
    }

    private static void writableWith(int master, int replicas) {
        Probe.request(master, client -> client.text("CONFIG", "SET", REPLICAS_TO_WRITE, Integer.toString(replicas)));
    }

    /** Waits until a replica has all writes. The master refuses new writes, so this takes only a moment. */
    private void awaitReplicas(int master) {
        boolean complete = Probe.await(LIMIT, () -> {
            Optional<Long> written = Probe.request(master, client -> offset(client.text("INFO", "replication")));
            return servers().stream()
                    .filter(port -> port != master)
                    .flatMap(port -> Probe.request(port, client -> offset(client.text("INFO", "replication"))).stream())
                    .anyMatch(offset -> written.isPresent() && offset >= written.get());
        });
        if (!complete) {
            throw new IllegalStateException(RedisServer.address(master) + " has no replica that could take its place");
        }
    }

    private static long offset(String replication) {
        return replication
                .lines()
                .filter(line -> line.startsWith("slave_repl_offset:") || line.startsWith("master_repl_offset:"))
                .map(line -> Long.valueOf(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0L);
    }

    private boolean aSentinelBegins() {
        return sentinels().stream()
                .anyMatch(port -> Probe.request(port, client -> client.text("SENTINEL", "FAILOVER", MASTER))
                        .isPresent());
    }

    private boolean isReplaced(int master) {
        return look().stream().anyMatch(server -> server.isMaster() && server.isUp() && server.port() != master);
    }

    /** Makes the old master a replica and closes its connections, so that its clients look up the new master. */
    private static void follow(int old, int master) {
        Probe.request(old, client -> client.text("REPLICAOF", "127.0.0.1", Integer.toString(master)));
        Probe.request(old, client -> client.text("CLIENT", "KILL", "TYPE", "pubsub"));
        Probe.request(old, client -> client.text("CLIENT", "KILL", "TYPE", "normal"));
    }

    @Override
    public String[] settingsToRejoin(int port) {
        int master = master();
        return master == 0 || master == port ? new String[0] : new String[] {"replicaof 127.0.0.1 " + master};
    }

    @Override
    public DataRedisConnectionDetails connectionDetails() {
        List<DataRedisConnectionDetails.Node> nodes = sentinels().stream()
                .map(port -> new DataRedisConnectionDetails.Node("127.0.0.1", port))
                .toList();
        return new DataRedisConnectionDetails() {
            @Override
            public Sentinel getSentinel() {
                return new Sentinels(nodes);
            }
        };
    }

    private record Sentinels(List<DataRedisConnectionDetails.Node> nodes)
            implements DataRedisConnectionDetails.Sentinel {

        @Override
        public int getDatabase() {
            return 0;
        }

        @Override
        public String getMaster() {
            return MASTER;
        }

        @Override
        public List<DataRedisConnectionDetails.Node> getNodes() {
            return nodes;
        }

        @Override
        public @Nullable String getUsername() {
            return null;
        }

        @Override
        public @Nullable String getPassword() {
            return null;
        }
    }
}
