/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.Random;

/** What happens to the process of Redis. */
final class ServerFaults {

    private static final String BUSY = """
        local function millis()
          local time = redis.call('TIME')
          return time[1] * 1000 + time[2] / 1000
        end
        local over = millis() + ARGV[1]
        for i = 1, 1e7 do
          if millis() > over then return i end
        end
        """;

    private ServerFaults() {}

    static boolean crashAndForget(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        String before = runId(server);
        server.crash();
        Waits.pause(random.nextInt(200));
        server.startEmpty();
        return !runId(server).equals(before);
    }

    static boolean crashAndRemember(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        String before = runId(server);
        server.crash();
        Waits.pause(random.nextInt(200));
        server.startAgain();
        return !runId(server).equals(before);
    }

    private static String runId(Server server) {
        return server.info("server", "run_id");
    }

    /** Around whatever is being asked for and given back at that moment; often for longer than the command time-out. */
    static boolean stop(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        server.signal("STOP");
        try {
            Waits.pause(random.nextInt(4) == 0 ? 300 + random.nextInt(500) : 20 + random.nextInt(130));
            return victim.network().requests().delivered() > 0;
        } finally {
            server.signal("CONT");
        }
    }

    static boolean pauseWrites(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return pause(arena, random, "WRITE");
    }

    static boolean pauseAll(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        return pause(arena, random, "ALL");
    }

    /** A write of ours has to wait as well. */
    private static boolean pause(FaultTestbed<Server> arena, Random random, String what) {
        int millis = random.nextInt(4) == 0 ? 300 + random.nextInt(300) : 50 + random.nextInt(100);
        long before = System.nanoTime();
        arena.redis().call("CLIENT", "PAUSE", Integer.toString(millis), what);
        arena.redis().call("SET", "paused", "no longer");
        return System.nanoTime() - before > Duration.ofMillis(millis / 2).toNanos();
    }

    static boolean sleep(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        int millis = random.nextInt(4) == 0 ? 400 + random.nextInt(400) : 50 + random.nextInt(100);
        long before = System.nanoTime();
        arena.redis().call("DEBUG", "SLEEP", Double.toString(millis / 1_000.0));
        return System.nanoTime() - before >= Duration.ofMillis(millis).toNanos();
    }

    /** Others get a busy reply. */
    static boolean busyScript(FaultTestbed<Server> arena, ClientProcess victim, Random random) {
        Server server = arena.redis();
        long before = server.errors("BUSY");
        server.call("CONFIG", "SET", "busy-reply-threshold", "10");
        try (RespClient client = server.connect()) {
            client.call("EVAL", BUSY, "0", Integer.toString(80 + random.nextInt(170)));
        } finally {
            server.call("CONFIG", "SET", "busy-reply-threshold", "5000");
        }
        return server.errors("BUSY") > before;
    }
}
