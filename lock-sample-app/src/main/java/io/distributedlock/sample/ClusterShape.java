/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.sample.RedisServer.State;
import io.distributedlock.testing.RedisCluster;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Redis Cluster: three masters with a replica each. */
final class ClusterShape implements GroupShape {

    private static final int MASTERS = 3;

    private static final int REPLICAS = 1;

    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

    /**
     * Within two node time-outs, the masters do not vote twice about the same master. Redis then gives up after 5 s.
     */
    private static final Duration GIVEN_UP = Duration.ofSeconds(6);

    private static final int ATTEMPTS = 3;

    private final int first;

    ClusterShape(int first) {
        this.first = first;
    }

    /**
     * A row of CLUSTER NODES.
     *
     * @param myself whether the row describes the server that sent it
     * @param masterId the id of the master of a replica
     */
    private record Row(
            String id,
            int port,
            boolean myself,
            boolean master,
            String masterId,
            long epoch,
            boolean linked,
            String slots) {

        static Row parse(String line) {
            String[] words = line.split(" ", 9);
            String address = words[1].substring(0, words[1].indexOf('@'));
            List<String> flags = List.of(words[2].split(","));
            return new Row(
                    words[0],
                    Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
                    flags.contains("myself"),
                    flags.contains("master"),
                    words[3],
                    Long.parseLong(words[6]),
                    words[7].equals("connected"),
                    words.length > 8 ? words[8] : "");
        }

        boolean hasSlots() {
            return master && !slots.isEmpty();
        }
    }

    @Override
    public String description() {
        return "a cluster of 3 masters and 3 replicas";
    }

    @Override
    public String mode() {
        return "cluster";
    }

    @Override
    public List<Integer> ports() {
        return IntStream.range(first, first + MASTERS * (1 + REPLICAS)).boxed().toList();
    }

    @Override
    public Started start() {
        RedisCluster cluster = RedisCluster.startAt(first, MASTERS, REPLICAS, NODE_TIMEOUT, SharedRedis.durable());
        return new Started(cluster.nodes(), cluster::close);
    }

    @Override
    public List<RedisServer> look() {
        Map<Integer, Row> own = new HashMap<>();
        Map<Integer, Row> seenByOthers = new HashMap<>();
        ports().stream().flatMap(port -> rows(port).stream()).forEach(row -> {
            if (row.myself()) {
                own.put(row.port(), row);
            } else {
                seenByOthers.merge(row.port(), row, (a, b) -> a.epoch() >= b.epoch() ? a : b);
            }
        });
        return ports().stream()
                .map(port -> server(port, own, seenByOthers.get(port)))
                .toList();
    }

    private static RedisServer server(int port, Map<Integer, Row> own, @Nullable Row seenByOthers) {
        Row row = own.getOrDefault(port, seenByOthers);
        boolean up = own.containsKey(port);
        if (row == null) {
            return RedisServer.replica(port, 0, State.DOWN);
        }
        if (row.hasSlots()) {
            // A server that was just restarted does not know yet that another server has its slots.
            boolean newest = own.values().stream()
                    .noneMatch(other ->
                            other.hasSlots() && other.slots().equals(row.slots()) && other.epoch() > row.epoch());
            State state = up ? State.UP : State.DOWN;
            return newest
                    ? RedisServer.master(port, "slots " + row.slots(), state)
                    : RedisServer.replica(port, 0, up ? State.SYNCING : State.DOWN);
        }
        int master = Stream.concat(own.values().stream(), Stream.of(row))
                .filter(other -> other.id().equals(row.masterId()))
                .map(Row::port)
                .findAny()
                .orElse(0);
        State state = !up ? State.DOWN : master == 0 || !isFollowing(port) ? State.SYNCING : State.UP;
        return RedisServer.replica(port, master, state);
    }

    private static boolean isFollowing(int port) {
        return Probe.request(port, client -> client.list("ROLE"))
                .filter(role -> role.get(0).equals("slave") && role.get(3).equals("connected"))
                .isPresent();
    }

    private static List<Row> rows(int port) {
        return Probe.request(port, client -> client.text("CLUSTER", "NODES"))
                .map(text -> text.lines().map(Row::parse).toList())
                .orElse(List.of());
    }

    @Override
    public boolean works() {
        long masters = look().stream()
                .filter(server -> server.isMaster() && server.isUp())
                .count();
        return masters == MASTERS
                && ports().stream()
                        .flatMap(port -> Probe.request(port, client -> client.text("CLUSTER", "INFO")).stream())
                        .allMatch(info -> info.contains("cluster_state:ok"));
    }

    @Override
    public void failOver(int master) {
        int replica = look().stream()
                .filter(server -> server.isUp() && server.follows(master))
                .map(RedisServer::port)
                .min(Comparator.naturalOrder())
                .orElseThrow(() -> new IllegalStateException(
                        RedisServer.address(master) + " has no replica that could take its place"));
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Probe.request(replica, client -> client.text("CLUSTER", "FAILOVER"));
            if (Probe.await(GIVEN_UP, () -> isMaster(replica))) {
                return;
            }
        }
        throw new IllegalStateException("The other masters have not agreed to this failover. Try again.");
    }

    private boolean isMaster(int port) {
        return look().stream().anyMatch(server -> server.port() == port && server.isMaster());
    }

    @Override
    public String[] settingsToRejoin(int port) {
        return new String[0];
    }

    @Override
    public DataRedisConnectionDetails connectionDetails() {
        List<DataRedisConnectionDetails.Node> nodes = ports().stream()
                .map(port -> new DataRedisConnectionDetails.Node("127.0.0.1", port))
                .toList();
        return new DataRedisConnectionDetails() {
            @Override
            public Cluster getCluster() {
                return () -> nodes;
            }
        };
    }
}
