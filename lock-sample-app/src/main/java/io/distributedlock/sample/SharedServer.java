/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Redis that the instances of the sample share on this machine: the first one starts it, the others find it. */
final class SharedRedis implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 1000;

    /**
     * Has every write on disk before it is answered, so that a server that is killed and started again has lost
     * nothing.
     */
    private static final String[] DURABLE = {"appendonly yes", "appendfsync always"};

    /** How many looks in a row find no Redis before an instance that has not started it starts another. */
    private static final int PATIENCE = 4;

    private final int port;

    private @Nullable EmbeddedRedis own;

    private boolean closed;

    private int missed;

    private SharedRedis(int port, @Nullable EmbeddedRedis own) {
        this.port = port;
        this.own = own;
    }

    /** Joins the Redis at this port, or starts one there; at any free port if it is 0. */
    static SharedRedis at(int port) {
        if (port == 0) {
            EmbeddedRedis own = EmbeddedRedis.start(DURABLE);
            return new SharedRedis(own.port(), own);
        }
        return answers(port) ? new SharedRedis(port, null) : startAt(port);
    }

    private static SharedRedis startAt(int port) {
        try {
            return new SharedRedis(port, EmbeddedRedis.start(port, DURABLE));
        } catch (RuntimeException ex) {
            if (answers(port)) {
                return new SharedRedis(port, null); // another instance was a little faster
            }
            throw new IllegalStateException(
                    "Redis could not be started at port " + port + "; choose another with --shop.redis-port", ex);
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(5);
            return new String(answer, StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException ex) {
            return false;
        }
    }

    int port() {
        return port;
    }

    /**
     * Starts Redis again at its port: the one that this instance started with all its data, that of an instance that
     * ended anew and empty.
     *
     * @return what was done, or nothing if a Redis answers there or cannot be started
     */
    synchronized Optional<String> revive() {
        if (closed || (own != null && own.isAlive())) {
            return Optional.empty();
        }
        if (answers(port)) {
            missed = 0;
            return Optional.empty();
        }
        if (own == null && ++missed < PATIENCE) {
            return Optional.empty(); // the instance that started it has its data and goes first
        }
        try {
            if (own != null) {
                own = own.startAgain(DURABLE);
                return Optional.of("This instance has started its Redis again, with all it had.");
            }
            own = EmbeddedRedis.start(port, DURABLE);
            return Optional.of("Redis had ended with the instance that started it. "
                    + "This instance has started another, empty one: a sale that was running has to be started again.");
        } catch (RuntimeException ex) {
            return Optional.empty(); // another instance was a little faster, or the old server is still ending
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (own != null) {
            own.close();
        }
    }

    @Override
    public synchronized String toString() {
        String end = own == null ? "it ends with the instance that started it" : "it ends with this instance";
        return "localhost:" + port + " (" + end + ")";
    }
}
