/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis that shares nothing with the client under test: one socket, one command at a time, no thread.
 * An error answer is an {@link IllegalStateException} with its text.
 */
public final class RespClient implements AutoCloseable {

    private static final Set<Integer> LOCAL_PORTS = ConcurrentHashMap.newKeySet();

    private final Socket socket;

    private final InputStream in;

    private final OutputStream out;

    RespClient(int port, Duration timeout) throws IOException {
        socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) timeout.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
            out = new BufferedOutputStream(socket.getOutputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        LOCAL_PORTS.add(socket.getLocalPort());
    }

    /** Connects to a server on this machine. */
    public static RespClient connect(int port) {
        return connect(port, Duration.ofSeconds(10));
    }

    /**
     * Connects to a server on this machine.
     *
     * @param timeout of the connection and of each answer; both are an {@link UncheckedIOException}
     */
    public static RespClient connect(int port, Duration timeout) {
        try {
            return new RespClient(port, timeout);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a connection of this class has that local port. */
    static boolean isLocalPort(int port) {
        return LOCAL_PORTS.contains(port);
    }

    /** The answer as text, a {@link Long}, a list of such, or null. */
    public synchronized @Nullable Object call(String... command) {
        try {
            send(command);
            return reply();
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    /** Sends all commands in one write, and returns their answers in the same order. */
    public synchronized List<@Nullable Object> callAll(List<String[]> commands) {
        try {
            for (String[] command : commands) {
                write(command);
            }
            out.flush();
            return array(commands.size());
        } catch (IOException e) {
            throw new UncheckedIOException(commands.size() + " commands", e);
        }
    }

    /** What comes next without being asked for, such as a message of a channel. */
    public synchronized @Nullable Object receive() {
        try {
            return reply();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String text(String... command) {
        return String.valueOf(call(command));
    }

    public long number(String... command) {
        return (Long) Objects.requireNonNull(call(command));
    }

    /** A list whose elements are read as text. */
    public List<String> list(String... command) {
        return asList(call(command)).stream().map(String::valueOf).toList();
    }

    /** The names of all keys that match, e.g. {@code lock:*}. */
    public List<String> keys(String pattern) {
        List<String> keys = new ArrayList<>();
        String cursor = "0";
        do {
            List<?> page = asList(call("SCAN", cursor, "MATCH", pattern, "COUNT", "1000"));
            cursor = String.valueOf(page.get(0));
            asList(page.get(1)).forEach(key -> keys.add(String.valueOf(key)));
        } while (!cursor.equals("0"));
        return keys;
    }

    @Override
    public void close() {
        LOCAL_PORTS.remove(socket.getLocalPort());
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void send(String... command) throws IOException {
        write(command);
        out.flush();
    }

    private void write(String... command) throws IOException {
        out.write(("*" + command.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
            out.write('\r');
            out.write('\n');
        }
    }

    /** Waits without limit for answers from now on. */
    void unbounded() throws IOException {
        timeout(Duration.ZERO);
    }

    /** Waits that long for each answer from now on. */
    void timeout(Duration limit) throws IOException {
        socket.setSoTimeout((int) limit.toMillis());
    }

    @Nullable
    Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> throw new IllegalStateException(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new IOException("Not an answer of Redis: " + line);
        };
    }

    private static List<?> asList(@Nullable Object answer) {
        return (List<?>) Objects.requireNonNull(answer);
    }

    private @Nullable String bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException();
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> list(int length) throws IOException {
        return length < 0 ? null : array(length);
    }

    private List<@Nullable Object> array(int length) throws IOException {
        List<@Nullable Object> elements = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            elements.add(reply());
        }
        return elements;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next != '\r') {
            if (next < 0) {
                throw new EOFException("The server closed the connection");
            }
            line.write(next);
            next = in.read();
        }
        if (in.read() != '\n') {
            throw new IOException("A line that does not end");
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
