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
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** One server for all instances. */
final class SharedServer implements SharedRedis {

    private static final int TIMEOUT_MILLIS = 1000;

    private final int port;

    private @Nullable EmbeddedRedis own;

    private boolean closed;

    private int missed;

    private SharedServer(int port, @Nullable EmbeddedRedis own) {
        this.port = port;
        this.own = own;
    }

    /** Joins the Redis at this port, or starts one there. Port 0 selects a free port. */
    static SharedServer at(int port) {
        if (port == 0) {
            EmbeddedRedis own = EmbeddedRedis.start(SharedRedis.durable());
            return new SharedServer(own.port(), own);
        }
        return replies(port) ? join(port) : startAt(port);
    }

    private static SharedServer join(int port) {
        Probe.mode(port).filter(mode -> !mode.equals("standalone")).ifPresent(mode -> {
            throw new IllegalStateException(
                    "At localhost:%d there is a Redis of another shape. Start this instance with --shop.redis=%s, too, "
                                    .formatted(port, mode)
                            + "or choose another port with --shop.redis-port");
        });
        return new SharedServer(port, null);
    }

    private static SharedServer startAt(int port) {
        try {
            return new SharedServer(port, EmbeddedRedis.start(port, SharedRedis.durable()));
        } catch (RuntimeException ex) {
            if (replies(port)) {
                return join(port); // another instance was faster
            }
            throw new IllegalStateException(
                    "Redis could not be started at port " + port + "; choose another with --shop.redis-port", ex);
        }
    }

    private static boolean replies(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes(5);
            return new String(reply, StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException ex) {
            return false;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public DataRedisConnectionDetails connectionDetails() {
        return new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", port);
            }
        };
    }

    @Override
    public String whenGone() {
        return "Redis is gone: " + this + ". Without it no lock is granted, so no instance sells. It is started again.";
    }

    /** A Redis that this instance started is restarted with all its data. A replacement for another one is empty. */
    @Override
    public synchronized Optional<String> revive() {
        if (closed || (own != null && own.isAlive())) {
            return Optional.empty();
        }
        if (replies(port)) {
            missed = 0;
            return Optional.empty();
        }
        if (own == null && ++missed < PATIENCE) {
            return Optional.empty(); // the instance that started it has its data and restarts it first
        }
        try {
            if (own != null) {
                own = own.startAgain(SharedRedis.durable());
                return Optional.of("This instance has started its Redis again, with all it had.");
            }
            own = EmbeddedRedis.start(port, SharedRedis.durable());
            return Optional.of(STARTED_ANOTHER);
        } catch (RuntimeException ex) {
            return Optional.empty(); // another instance was faster, or the old server is still ending
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
