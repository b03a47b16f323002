/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** What can be done to Redis by commands. */
final class OperatorFaults {

    private static final int SOON = 300;

    /** Does something to an entry of a lock that is held now, in one step with looking for one. */
    private static final String TO_AN_ENTRY = """
        for _, key in ipairs(redis.call('KEYS', 'lock:*}')) do
          if redis.call('PTTL', key) > 0 then
            return redis.call(ARGV[1], key)
          end
        end
        return 0
        """;

    private static final String FLUSH = """
        local entries = #redis.call('KEYS', 'lock:*}')
        redis.call('FLUSHALL')
        return entries
        """;

    private OperatorFaults() {}

    static boolean killCommandConnections(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return killConnections(arena, random, "normal");
    }

    static boolean killSubscriptions(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return killConnections(arena, random, "pubsub");
    }

    private static boolean killConnections(FaultTestbed<Server> arena, Random random, String type) {
        long killed = 0;
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            killed += arena.redis().number("CLIENT", "KILL", "TYPE", type);
            Waits.pause(random.nextInt(50));
        }
        return killed > 0;
    }

    static boolean forgetScripts(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        long before = arena.redis().errors("NOSCRIPT");
        Waits.until(50 + random.nextInt(100), () -> {
            arena.redis().call("SCRIPT", "FLUSH");
            return false;
        });
        return arena.redis().errors("NOSCRIPT") > before;
    }

    static boolean flushAll(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return Waits.until(SOON, () -> arena.redis().number("EVAL", FLUSH, "0") > 0);
    }

    static boolean deleteAnEntry(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return Waits.until(SOON, () -> arena.redis().number("EVAL", TO_AN_ENTRY, "0", "DEL") > 0);
    }

    static boolean persistAnEntry(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return Waits.until(SOON, () -> arena.redis().number("EVAL", TO_AN_ENTRY, "0", "PERSIST") > 0);
    }

    static boolean evict(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = evicted(server);
        server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        outOfMemory(server, () -> evicted(server) > before);
        return evicted(server) > before;
    }

    private static long evicted(Server server) {
        return Long.parseLong(server.info("stats", "evicted_keys"));
    }

    static boolean runOutOfMemory(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("OOM");
        server.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
        int millis = random.nextInt(4) == 0 ? 700 : 50 + random.nextInt(150);
        outOfMemory(server, () -> {
            Waits.pause(millis);
            return server.errors("OOM") > before;
        });
        return server.errors("OOM") > before;
    }

    private static void outOfMemory(Server server, BooleanSupplier enough) {
        server.call("CONFIG", "SET", "maxmemory", "1");
        try {
            Waits.until(SOON, enough);
        } finally {
            server.call("CONFIG", "SET", "maxmemory", "0");
        }
    }

    /**
     * A directory is where the snapshot should be written to, so that this fails, and Redis refuses to write anything.
     */
    static boolean failToSave(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("MISCONF");
        Path inTheWay = Path.of(server.directory(), "dump.rdb");
        try {
            Files.deleteIfExists(inTheWay);
            Files.createDirectory(inTheWay);
            server.call("CONFIG", "SET", "save", "3600 1");
            server.call("BGSAVE");
            Waits.until(
                    5_000,
                    () -> server.info("persistence", "rdb_last_bgsave_status").equals("err"));
            Waits.pause(outage(arena, random));
            return server.errors("MISCONF") > before;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            server.call("CONFIG", "SET", "save", "");
            delete(inTheWay);
            server.call("BGSAVE");
            Waits.until(
                    5_000,
                    () -> server.info("persistence", "rdb_last_bgsave_status").equals("ok"));
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The replica of a server that does not exist: it keeps what it has, and writes nothing. */
    static boolean readOnly(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("READONLY");
        server.call("REPLICAOF", "127.0.0.1", "1");
        try {
            Waits.pause(outage(arena, random));
        } finally {
            server.call("REPLICAOF", "NO", "ONE");
        }
        work(arena, random);
        return server.errors("READONLY") > before;
    }

    /** There is no replica, and it wants one before it writes. */
    static boolean wantReplicas(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("NOREPLICAS");
        server.call("CONFIG", "SET", "min-replicas-to-write", "1");
        try {
            Waits.pause(outage(arena, random));
        } finally {
            server.call("CONFIG", "SET", "min-replicas-to-write", "0");
        }
        work(arena, random);
        return server.errors("NOREPLICAS") > before;
    }

    /**
     * Some are longer than every lease: who was granted a lock by a server that did not write it would share it then.
     */
    private static int outage(FaultTestbed<Server> arena, Random random) {
        int lease = (int) arena.lease().toMillis();
        return random.nextInt(3) == 0 ? lease + random.nextInt(lease / 3) : 50 + random.nextInt(lease);
    }

    /** Until everybody holds and waits again, so that the next outage hits hand-overs. */
    private static void work(FaultTestbed<Server> arena, Random random) {
        Waits.pause(random.nextInt((int) arena.lease().toMillis()));
    }

    static boolean denyScripts(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("NOPERM");
        server.call("ACL", "SETUSER", "default", "-eval", "-evalsha");
        try {
            Waits.pause(random.nextInt(4) == 0 ? 700 : 50 + random.nextInt(150));
        } finally {
            server.call("ACL", "SETUSER", "default", "+@all");
        }
        return server.errors("NOPERM") > before;
    }

    /** Redis ends the connections of those who may not listen any more. */
    static boolean denyChannels(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        server.call("ACL", "SETUSER", "default", "resetchannels");
        try {
            Waits.pause(50 + random.nextInt(350));
            return server.list("PUBSUB", "CHANNELS", FaultTestbed.PREFIX + "*").isEmpty();
        } finally {
            server.call("ACL", "SETUSER", "default", "allchannels");
        }
    }
}
