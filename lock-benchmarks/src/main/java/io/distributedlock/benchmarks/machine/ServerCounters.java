/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.testing.CommandCounter;
import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.Map;

/** The counters of one server. */
final class ServerCounters implements AutoCloseable {

    private static final List<String> SCRIPTS = List.of("eval", "evalsha", "eval_ro", "evalsha_ro", "fcall");

    private static final List<String> OTHERS =
            List.of("subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe", "wait");

    private static final String PUBLISHED = "cluster_stats_messages_publish_sent";

    private final CommandCounter commands;

    private final RespClient client;

    private final boolean clustered;

    ServerCounters(EmbeddedRedis redis) {
        this.commands = CommandCounter.start(redis);
        this.client = redis.connect();
        this.clustered = field(client.text("INFO", "cluster"), "cluster_enabled") == 1;
    }

    void reset() {
        commands.reset();
    }

    void flush() {
        client.call("FLUSHALL");
    }

    long keys() {
        return client.number("DBSIZE");
    }

    String version() {
        return line(client.text("INFO", "server"), "redis_version");
    }

    Reading read() {
        long at = System.nanoTime();
        Map<String, Long> calls = commands.calls();
        String cpu = client.text("INFO", "cpu");
        String stats = client.text("INFO", "stats");
        return new Reading(
                sum(calls, SCRIPTS),
                sum(calls, OTHERS),
                calls.getOrDefault("del", 0L),
                (field(cpu, "used_cpu_sys") + field(cpu, "used_cpu_user")) * 1e9,
                (long) field(stats, "total_net_input_bytes"),
                (long) field(stats, "total_net_output_bytes"),
                busMessages(),
                at);
    }

    /** Redis omits a kind of message of which it has sent none. */
    private long busMessages() {
        return clustered
                ? client.text("CLUSTER", "INFO")
                        .lines()
                        .filter(line -> line.startsWith(PUBLISHED + ":"))
                        .mapToLong(line -> (long) field(line, PUBLISHED))
                        .sum()
                : 0;
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
