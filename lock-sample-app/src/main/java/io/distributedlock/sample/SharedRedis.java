package io.distributedlock.sample;

import io.distributedlock.testing.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The Redis that the instances of the sample share on this machine: the first one starts it, the others find it. */
final class SharedRedis implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 1000;

    private final int port;

    private final @Nullable EmbeddedRedis own;

    private SharedRedis(int port, @Nullable EmbeddedRedis own) {
        this.port = port;
        this.own = own;
    }

    /** Joins the Redis at this port, or starts one there; at any free port if it is 0. */
    static SharedRedis at(int port) {
        if (port == 0) {
            EmbeddedRedis own = EmbeddedRedis.start();
            return new SharedRedis(own.port(), own);
        }
        return answers(port) ? new SharedRedis(port, null) : startAt(port);
    }

    private static SharedRedis startAt(int port) {
        try {
            return new SharedRedis(port, EmbeddedRedis.start(port));
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

    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }

    @Override
    public String toString() {
        String end = own == null ? "it ends with the instance that started it" : "it ends with this instance";
        return "localhost:" + port + " (" + end + ")";
    }
}
