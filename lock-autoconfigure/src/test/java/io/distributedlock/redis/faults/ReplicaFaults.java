/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.Fault;
import io.distributedlock.testing.RedisNode;
import io.distributedlock.testing.RespClient;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What happens to a master that has a replica. */
final class ReplicaFaults {

    private ReplicaFaults() {}

    /** How often the server has answered with errors of these kinds. */
    static long errors(RedisNode server, String... kinds) {
        List<String> fields = Arrays.stream(kinds)
                .map(kind -> "errorstat_" + kind + ":count=")
                .toList();
        return server.text("INFO", "errorstats")
                .lines()
                .filter(line -> fields.stream().anyMatch(line::startsWith))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf('=') + 1).strip()))
                .sum();
    }

    /** How many scripts the server has executed, or refused. */
    static long scripts(RedisNode server) {
        return server.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    /** The keys of locks that it has. */
    static List<String> locks(RedisNode server) {
        try (RespClient client = server.connect()) {
            return client.keys(FaultTestbed.PREFIX + "*");
        }
    }

    /**
     * As {@link #killWithoutReplication(FaultTestbed, RedisNode, RedisNode, long)}, after up to a quarter of a lease.
     */
    static boolean killWithoutReplication(FaultTestbed<?> testbed, RedisNode master, RedisNode replica, Random random) {
        long millis = 100 + random.nextInt((int) testbed.lease().toMillis() / 4);
        return killWithoutReplication(testbed, master, replica, millis);
    }

    /**
     * Kills a master that has confirmed for a while what its replica does not have. Only that can be forgotten: what is
     * confirmed after the failover is kept.
     *
     * @param millis how long it confirms that
     * @return whether there were locks that the replica does not have, or has otherwise
     */
    static boolean killWithoutReplication(FaultTestbed<?> testbed, RedisNode master, RedisNode replica, long millis) {
        Fault loss = testbed.losing("REPLICATION_CUT", master.toString());
        boolean lost = false;
        try {
            cutOff(master);
            Waits.pause(millis);
            lost = Waits.until(2_000, () -> hasMore(master, replica));
            master.kill();
        } finally {
            if (lost) {
                loss.hit();
            } else {
                loss.missed();
            }
        }
        return lost;
    }

    /** The replica stays connected to nothing, since its master lets it read nothing any more. */
    private static void cutOff(RedisNode master) {
        master.text("ACL", "SETUSER", "default", "-psync", "-sync");
        master.text("CLIENT", "KILL", "TYPE", "replica");
        Waits.until(5_000, () -> !master.text("INFO", "replication").contains("state=online"));
    }

    private static boolean hasMore(RedisNode master, RedisNode replica) {
        List<String> entries =
                locks(master).stream().filter(key -> key.endsWith("}")).toList();
        return !state(master, entries).equals(state(replica, entries));
    }

    /** The owners and tokens of the locks, as the server has them. */
    private static List<String> state(RedisNode server, List<String> entries) {
        try (RespClient client = server.connect()) {
            if (client.text("INFO", "cluster").contains("cluster_enabled:1")) {
                client.call("READONLY");
            }
            return entries.stream()
                    .map(key -> String.valueOf(client.call("HMGET", key, "o", "t")))
                    .toList();
        }
    }
}
