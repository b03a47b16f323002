/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The scripts by themselves: no timing, and no client in between that would save them. */
abstract class AbstractScriptTests {

    static final String ENTRY = "lock:{raw}";

    static final String CANCELLED = ENTRY + "cancelled";

    static final String ONE = "one.secret.1";

    static final String TWO = "two.secret.1";

    static final String THREE = "three.secret.1";

    private static final String CHANNEL = "lock:instance:";

    /** The hash of each script that the server has. */
    private static final Map<String, String> HASHES = new HashMap<>();

    static EmbeddedRedis redis;

    static RespClient client;

    @BeforeAll
    static void startServer() {
        redis = EmbeddedRedis.start();
        client = redis.connect();
        HASHES.clear();
    }

    @AfterAll
    static void stopServer() {
        client.close();
        redis.close();
    }

    @AfterEach
    void forgetAll() {
        client.call("FLUSHALL");
    }

    static Object run(String script, int keys, String... operands) {
        return run(client, script, keys, operands);
    }

    /** Runs a script on a connection to the server of these tests. */
    static Object run(RespClient client, String script, int keys, String... operands) {
        List<String> command = new ArrayList<>(List.of("EVALSHA", hash(script), String.valueOf(keys)));
        command.addAll(List.of(operands));
        try {
            return client.call(command.toArray(String[]::new));
        } catch (IllegalStateException e) {
            throw new AssertionError(script + " failed: " + e.getMessage(), e);
        }
    }

    private static String hash(String script) {
        return HASHES.computeIfAbsent(script, file -> client.text("SCRIPT", "LOAD", LuaScript.text(file)));
    }

    static Object acquire(String id, String lease) {
        return run("acquire.lua", 2, ENTRY, CANCELLED, id, lease, "0", "1");
    }

    static Object acquireFor(String owner, String id, String lease) {
        return run("acquire.lua", 2, ENTRY, CANCELLED, id, lease, "0", "1", owner, "1");
    }

    static Object renew(String id, String lease) {
        return run("renew.lua", 1, ENTRY, id, lease, "0", "0");
    }

    static Object release(String id, String tombstone, String again) {
        return run("release.lua", 2, ENTRY, CANCELLED, id, "0", tombstone, again, "5000");
    }

    /** As {@link #release}, while these instances listen. */
    static Object releaseHeardBy(List<String> instances, String id, String again) {
        try (RespClient listening = redis.connect()) {
            for (String instance : instances) {
                listening.call("SUBSCRIBE", "lock:instance:" + instance);
            }
            return release(id, "0", again);
        }
    }

    static String field(String name) {
        return client.text("HGET", ENTRY, name);
    }

    /** Who waits, in order: "id lease owner;" for each. */
    static String line() {
        if (!has("n")) {
            return "";
        }
        StringBuilder line = new StringBuilder();
        long behind = Long.parseLong(field("n"));
        for (long place = Long.parseLong(field("f")); place < behind; place++) {
            String text = has("q" + place) ? field("q" + place) : " ";
            if (!text.startsWith(" ")) {
                line.append(text).append(text.split(" ").length == 2 ? " ;" : ";");
            }
        }
        return line.toString();
    }

    static boolean has(String name) {
        return client.number("HEXISTS", ENTRY, name) == 1;
    }

    static boolean isFree() {
        return isFree(ENTRY);
    }

    static boolean isFree(String key) {
        return client.number("EXISTS", key) == 0;
    }

    static long ttl() {
        return client.number("PTTL", ENTRY);
    }

    /** How many messages the server was asked to send so far. */
    static long messages() {
        return calls().getOrDefault("publish", 0L);
    }

    /** How often each command was executed so far. */
    static Map<String, Long> calls() {
        return Arrays.stream(client.text("INFO", "commandstats").split("\\R"))
                .filter(line -> line.startsWith("cmdstat_"))
                .collect(Collectors.toMap(
                        line -> line.replaceAll("^cmdstat_|:.*$", ""),
                        line -> Long.parseLong(line.replaceAll("^.*?calls=|,.*$", ""))));
    }

    /** The commands that a step takes. */
    static Map<String, Long> cost(Runnable step) {
        Map<String, Long> before = calls();
        step.run();
        Map<String, Long> cost = new TreeMap<>();
        calls().forEach((command, calls) -> cost.put(command, calls - before.getOrDefault(command, 0L)));
        cost.keySet().removeAll(List.of("evalsha", "script|load", "info"));
        cost.values().removeIf(calls -> calls == 0);
        return cost;
    }

    static RespClient listening(EmbeddedRedis server, String... instances) {
        RespClient listener = server.connect();
        for (String instance : instances) {
            listener.call("SUBSCRIBE", CHANNEL + instance);
        }
        return listener;
    }

    /** All messages so far: a mark is sent behind them. */
    static List<String> heard(RespClient listener, String instance) {
        client.call("PUBLISH", CHANNEL + instance, "mark");
        List<String> heard = new ArrayList<>();
        for (String text = next(listener); !text.equals("mark"); text = next(listener)) {
            heard.add(text);
        }
        return heard;
    }

    private static String next(RespClient listener) {
        return String.valueOf(((List<?>) listener.receive()).get(2));
    }

    /** A connection of a user who may do everything but this. The user goes with the server. */
    static RespClient userWithout(String... rights) {
        List<String> rules =
                new ArrayList<>(List.of("ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "&*", "+@all"));
        rules.addAll(List.of(rights));
        client.call(rules.toArray(String[]::new));
        RespClient limited = redis.connect();
        limited.call("AUTH", "limited", "pw");
        return limited;
    }
}
