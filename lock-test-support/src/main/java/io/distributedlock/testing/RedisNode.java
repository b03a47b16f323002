/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.Arrays;
import java.util.List;

/** One server of several that work together. Each call opens a connection of its own. Safe for use by any thread. */
public class RedisNode implements AutoCloseable {

    private final String[] settings;

    private volatile EmbeddedRedis redis;

    RedisNode(EmbeddedRedis redis, String... settings) {
        this.redis = redis;
        this.settings = settings;
    }

    public final int port() {
        return redis.port();
    }

    public final EmbeddedRedis redis() {
        return redis;
    }

    /** Opens a connection for the test itself. */
    public final RespClient connect() {
        return redis.connect();
    }

    /** The answer as text. An error answer is an {@link IllegalStateException}. */
    public final String text(String... command) {
        try (RespClient client = redis.connect()) {
            return client.text(command);
        }
    }

    /** The answer as a list of texts. */
    public final List<String> list(String... command) {
        try (RespClient client = redis.connect()) {
            return client.list(command);
        }
    }

    /** Whether this server says that it is a master. */
    public final boolean isMaster() {
        return list("ROLE").get(0).equals("master");
    }

    /** Whether this server is a replica that has the data of its master and follows it. */
    public final boolean isFollowing() {
        List<String> role = list("ROLE");
        return role.get(0).equals("slave") && role.get(3).equals("connected");
    }

    public final boolean isAlive() {
        return redis.isAlive();
    }

    /** Kills the process at once. */
    public final void kill() {
        redis.signal("KILL");
        Waiting.until("server " + port() + " is dead", () -> !redis.isAlive());
    }

    /**
     * Starts the process again after {@link #kill()}, with the configuration and the place in its group that it had,
     * and without its data.
     */
    public final void restart() {
        redis = redis.startAsItWas();
    }

    /** Stops the process where it stands. Its sockets stay open. */
    public final void freeze() {
        redis.signal("STOP");
    }

    /** Lets a frozen process go on. */
    public final void wake() {
        redis.signal("CONT");
    }

    /**
     * Starts a server that has died again, at its port and with the files that it has written, but with the
     * configuration of its first start.
     *
     * @param more lines for the configuration file besides those it had; they come last and therefore win
     */
    public final void startAgain(String... more) {
        String[] lines = Arrays.copyOf(settings, settings.length + more.length);
        System.arraycopy(more, 0, lines, settings.length, more.length);
        redis = redis.startAgain(lines);
    }

    @Override
    public final void close() {
        redis.close();
    }

    @Override
    public String toString() {
        return "127.0.0.1:" + port();
    }
}
