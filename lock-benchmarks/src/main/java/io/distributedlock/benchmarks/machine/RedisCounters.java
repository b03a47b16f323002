/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the server itself counts. */
public final class RedisCounters implements AutoCloseable {

    private static final List<String> SUBSCRIPTIONS =
            List.of("subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe");

    private static final List<String> SCRIPTS = List.of("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall");

    /** Longer than any contender keeps a lock that none of its callers holds. */
    private static final long LONGEST_KEPT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final CommandCounter commands;

    private final RespClient client;

    public RedisCounters(EmbeddedRedis redis) {
        this.commands = CommandCounter.start(redis);
        this.client = redis.connect();
    }

    /**
     * @param scripts scripts that clients have run; everything else that a lock does happens inside of them,
     * @param subscriptions except subscribing and unsubscribing
     * @param deletes DEL, by clients or inside scripts
     * @param cpuNanos CPU time of the server process
     */
    public record Reading(
            long scripts, long subscriptions, long deletes, double cpuNanos, long bytesIn, long bytesOut, long at) {}

    /**
     * Waits until nothing is held, forgets what is left over, and counts from now on. A lease that an instance keeps
     * for its next caller must not be flushed: the instance would go on with it and another one would be let in, which
     * would be found as a violation and be none of the lock's.
     */
    public void reset() {
        long start = System.nanoTime();
        while (keys() > 0 && System.nanoTime() - start < LONGEST_KEPT_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        client.call("FLUSHALL");
        commands.reset();
    }

    public Reading read() {
        long at = System.nanoTime();
        Map<String, Long> calls = commands.calls();
        String cpu = client.text("INFO", "cpu");
        String stats = client.text("INFO", "stats");
        return new Reading(
                sum(calls, SCRIPTS),
                sum(calls, SUBSCRIPTIONS),
                calls.getOrDefault("del", 0L),
                (field(cpu, "used_cpu_sys") + field(cpu, "used_cpu_user")) * 1e9,
                (long) field(stats, "total_net_input_bytes"),
                (long) field(stats, "total_net_output_bytes"),
                at);
    }

    public long keys() {
        return client.number("DBSIZE");
    }

    public String redisVersion() {
        return line(client.text("INFO", "server"), "redis_version");
    }

    private static long sum(Map<String, Long> calls, List<String> commands) {
        return commands.stream()
                .mapToLong(command -> calls.getOrDefault(command, 0L))
                .sum();
    }

    private static double field(String info, String name) {
        return Double.parseDouble(line(info, name));
    }

    private static String line(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).trim())
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        commands.close();
        client.close();
    }
}
