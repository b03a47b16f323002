/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.EmbeddedRedis;
import io.distributedlock.testing.RespClient;
import java.util.List;
import java.util.Map;

/** The Redis under test. It writes down each change before it confirms it, and can be crashed and started again. */
final class Server implements FaultTarget {

    /** The second user may still do everything when the first one, who is everybody, may not. */
    private static final String[] SETTINGS = {
        "appendonly yes", "appendfsync always", "user operator on nopass ~* &* +@all"
    };

    private EmbeddedRedis redis = EmbeddedRedis.start(SETTINGS);

    private RespClient operator = login();

    private RespClient login() {
        RespClient client = redis.connect();
        client.call("AUTH", "operator", "any");
        return client;
    }

    /** Another connection of the operator, which the caller closes. */
    RespClient connect() {
        return login();
    }

    String directory() {
        return redis.directory().toString();
    }

    String call(String... command) {
        return operator.text(command);
    }

    long number(String... command) {
        return operator.number(command);
    }

    List<String> list(String... command) {
        return operator.list(command);
    }

    @Override
    public List<Integer> ports() {
        return List.of(redis.port());
    }

    @Override
    public InstanceConnection connection(Map<Integer, Integer> proxies) {
        return InstanceConnection.standalone(proxies.get(redis.port()));
    }

    @Override
    public List<String> keys() {
        return operator.keys(FaultTestbed.PREFIX + "*");
    }

    @Override
    public long millisToLive(String key) {
        return number("PTTL", key);
    }

    @Override
    public List<Integer> listeningInstances() {
        return List.of(list("PUBSUB", "CHANNELS", FaultTestbed.PREFIX + "*").size());
    }

    void signal(String signal) {
        redis.signal(signal);
    }

    /** What a line of INFO says. */
    String info(String section, String field) {
        return call("INFO", section)
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** How often it has answered with an error of that kind. */
    long errors(String kind) {
        String count = info("errorstats", "errorstat_" + kind);
        return count.isEmpty() ? 0 : Long.parseLong(count.substring(count.indexOf('=') + 1));
    }

    void crash() {
        redis.signal("KILL");
        Waits.until(10_000, () -> !redis.isAlive());
        operator.close();
    }

    /** With everything that it had confirmed. */
    void startAgain() {
        redis = redis.startAgain(SETTINGS);
        operator = login();
    }

    /** With nothing. */
    void startEmpty() {
        redis.close();
        redis = EmbeddedRedis.start(redis.port(), SETTINGS);
        operator = login();
    }

    @Override
    public void close() {
        operator.close();
        redis.close();
    }
}
