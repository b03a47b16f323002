/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/**
 * A Redis server as a child process, on Linux and macOS: on loopback, without persistence, in a directory of its own.
 * It ends, and its directory goes, with {@link #close()} and with this JVM, even if that is killed.
 *
 * <p>The server is the bundled Redis 7.0.15, or the program that the system property {@code tests.redis} names: the
 * absolute path of another {@code redis-server} or {@code valkey-server}, of version 7.0 or later. {@link ChildJvm}
 * passes the property on. If the property is empty or absent, the bundled server runs. It is unpacked once for each
 * JVM, into a directory that is removed when the JVM ends.
 */
public final class EmbeddedRedis implements AutoCloseable {

    static final String BINARY_PROPERTY = "tests.redis";

    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private static final int PORT_TRIES = 5;

    private static final String PORT_TAKEN = "Failed listening on port";

    private static @Nullable Path binary;

    private final Path directory;

    private final int port;

    private final List<String> options;

    private final Process process;

    private EmbeddedRedis(Path directory, int port, List<String> options, Process process) {
        this.directory = directory;
        this.port = port;
        this.options = options;
        this.process = process;
    }

    /**
     * Starts a server on a free port.
     *
     * @param settings lines for the configuration file; they come last and therefore win
     * @throws IllegalStateException if it does not come up; the text has what it wrote
     */
    public static EmbeddedRedis start(String... settings) {
        return startAnywhere(List.of(), settings);
    }

    private static EmbeddedRedis startAnywhere(List<String> options, String... settings) {
        for (int attempt = 1; ; attempt++) {
            try {
                return start(freePort(), options, settings);
            } catch (IllegalStateException e) {
                if (attempt == PORT_TRIES || !String.valueOf(e.getMessage()).contains(PORT_TAKEN)) {
                    throw e;
                }
            }
        }
    }

    /** As {@link #start(String...)}, on the given port. */
    public static EmbeddedRedis start(int port, String... settings) {
        return start(port, List.of(), settings);
    }

    /** Starts a Sentinel, on a free port if that is 0. It needs no line for its port. */
    static EmbeddedRedis startSentinel(int port, String... settings) {
        List<String> options = List.of("--sentinel");
        return port == 0 ? startAnywhere(options, settings) : start(port, options, settings);
    }

    private static EmbeddedRedis start(int port, List<String> options, String... settings) {
        try {
            Path directory = Files.createTempDirectory("embedded-redis-");
            Guardian.removeAtEnd(directory);
            configure(directory, port, settings);
            return launched(directory, port, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a server that has died again: on its port, and in its directory, so it finds the files that it has
     * written. It takes the place of this object, which must not be closed then.
     */
    public EmbeddedRedis startAgain(String... settings) {
        try {
            configure(directory, port, settings);
            return launched(directory, port, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same with the configuration that it had at its end: a server or a Sentinel may have rewritten it itself. */
    public EmbeddedRedis startAsItWas() {
        try {
            return launched(directory, port, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EmbeddedRedis launched(Path directory, int port, List<String> options) throws IOException {
        EmbeddedRedis redis = new EmbeddedRedis(directory, port, options, launch(directory, options));
        redis.awaitStart();
        return redis;
    }

    /** A port of the loopback interface without a listener at this moment. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    /** Where its files lie. */
    public Path directory() {
        return directory;
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Opens a connection for the test itself. */
    public RespClient connect() {
        return RespClient.connect(port);
    }

    /** Sends a signal to the server: {@code STOP}, {@code CONT}, {@code KILL}, {@code TERM}. */
    public void signal(String name) {
        Processes.signal(name, pid());
    }

    /** What the server has written so far. */
    public String output() {
        try {
            Path log = log(directory);
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        Processes.end(process, STOP_LIMIT);
        Processes.delete(directory);
    }

    /** Starts one process at a time, so the binary is complete, and closed, before a process runs it. */
    private static synchronized Process launch(Path directory, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(binary().toString(), configurationFile(directory).toString()));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log(directory).toFile());
        return Guardian.start(builder);
    }

    private static Path binary() throws IOException {
        Path known = binary;
        if (known == null) {
            String named = System.getProperty(BINARY_PROPERTY, "");
            known = named.isBlank() ? unpack() : named(Path.of(named).toAbsolutePath());
            binary = known;
        }
        return known;
    }

    private static Path named(Path executable) {
        if (!Files.isExecutable(executable)) {
            throw new IllegalStateException(
                    "The system property " + BINARY_PROPERTY + " names no executable file: " + executable);
        }
        return executable;
    }

    private static Path unpack() throws IOException {
        Path directory = Files.createTempDirectory("embedded-redis-binary-");
        Guardian.removeAtEnd(directory);
        File unpacked = RedisExecProvider.defaultProvider().get();
        Path executable = Files.move(unpacked.toPath(), directory.resolve("redis-server"));
        Processes.delete(unpacked.getParentFile().toPath());
        return executable;
    }

    private static Path configurationFile(Path directory) {
        return directory.resolve("redis.conf");
    }

    private static void configure(Path directory, int port, String... settings) throws IOException {
        Files.write(configurationFile(directory), configuration(directory, port, settings), StandardCharsets.UTF_8);
    }

    private static List<String> configuration(Path directory, int port, String... settings) {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + port,
                "dir \"" + directory + "\"",
                "save \"\"",
                "appendonly no",
                "shutdown-timeout 0",
                "enable-debug-command local"));
        lines.addAll(List.of(settings));
        return lines;
    }

    private static Path log(Path directory) {
        return directory.resolve("redis.log");
    }

    private void awaitStart() {
        boolean answers = Waiting.within(START_LIMIT, () -> answers() || !process.isAlive()) && process.isAlive();
        if (!answers) {
            String output = output();
            close();
            throw new IllegalStateException("Redis did not start on port " + port + ":\n" + output);
        }
    }

    /** Whether it is this server that answers: another caller may have taken the port. */
    private boolean answers() {
        try (RespClient client = new RespClient(port, Duration.ofSeconds(2))) {
            return client.text("PING").equals("PONG")
                    && client.text("INFO", "server").contains("process_id:" + process.pid() + "\r\n");
        } catch (IOException | UncheckedIOException e) {
            return false;
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage()).startsWith("NOAUTH");
        }
    }
}
