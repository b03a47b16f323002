/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Another JVM with the class path of this one, and with its {@link EmbeddedRedis} binary. Its main class serves
 * requests by {@link ChildRequests}. It never outlives this JVM, not even when it was stopped.
 */
public final class ChildJvm implements AutoCloseable {

    /** How long a reply may take. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Less than a test may take. A child that ends before it serves requests is noticed at once. */
    private static final Duration START_LIMIT = Duration.ofSeconds(150);

    private final Process process;

    private final CountDownLatch started = new CountDownLatch(1);

    private final CountDownLatch allErrors = new CountDownLatch(1);

    private volatile boolean serving;

    private final AtomicLong lastId = new AtomicLong();

    private final Map<String, CompletableFuture<String>> pending = new ConcurrentHashMap<>();

    @SuppressWarnings("JdkObsolete") // One thread appends, others read.
    private final StringBuffer errors = new StringBuffer();

    private ChildJvm(Process process) {
        this.process = process;
    }

    /** A request that failed in the child. */
    public static final class Failure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final String type;

        Failure(String type, String message) {
            super(type + ": " + message);
            this.type = type;
        }

        /** The name of the exception's class. */
        public String type() {
            return type;
        }
    }

    /** Starts a child and waits until it serves requests. */
    public static ChildJvm start(Class<?> main, String... arguments) {
        return start(Map.of(), main, arguments);
    }

    /** As {@link #start(Class, String...)}, with more in its environment: {@code JAVA_TOOL_OPTIONS}, for example. */
    public static ChildJvm start(Map<String, String> environment, Class<?> main, String... arguments) {
        return serving(main, launch(System.getProperty("java.class.path", ""), environment, main, arguments));
    }

    /** As {@link #start(Class, String...)}, but what is in the directory takes the place of what this JVM has. */
    public static ChildJvm startWith(Path instead, Class<?> main, String... arguments) {
        String classPath = instead + File.pathSeparator + System.getProperty("java.class.path", "");
        return serving(main, launch(classPath, Map.of(), main, arguments));
    }

    private static ChildJvm serving(Class<?> main, ChildJvm child) {
        try {
            if (!child.started.await(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS) || !child.serving) {
                Processes.kill(child.process);
                child.allErrors.await(1, TimeUnit.SECONDS);
                throw new IllegalStateException(main.getName() + " did not start:\n" + child.errors);
            }
            return child;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            child.close();
            throw new IllegalStateException(e);
        } catch (IllegalStateException e) {
            child.close();
            throw e;
        }
    }

    /** Asks and waits for the answer. The first word is the lane, the second the request, then its arguments. */
    public String ask(String lane, String request, Object... arguments) {
        return await(send(lane, request, arguments), LIMIT);
    }

    /** Asks. The future fails with {@link Failure}, or if the child ends. */
    public CompletableFuture<String> send(String lane, String request, Object... arguments) {
        String id = Long.toString(lastId.incrementAndGet());
        CompletableFuture<String> answer = new CompletableFuture<>();
        pending.put(id, answer);
        Stream<String> words =
                Stream.concat(Stream.of(id, lane, request), Stream.of(arguments).map(String::valueOf));
        println(ChildRequests.join(words));
        if (!process.isAlive()) {
            failPending();
        }
        return answer;
    }

    /** Waits for an answer, and throws {@link Failure} itself. */
    public static String await(CompletableFuture<String> answer, Duration limit) {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("No answer of the child within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal: {@code STOP}, {@code CONT}, {@code KILL}, {@code TERM}. */
    public void signal(String name) {
        Processes.signal(name, pid());
    }

    /** Whether the child has ended by itself within the limit. */
    public boolean awaitExit(Duration limit) {
        return Processes.awaitExit(process, limit);
    }

    /** With what it has ended. */
    public int exitValue() {
        return process.exitValue();
    }

    /** What the child has written to its standard error. */
    public String errors() {
        return errors.toString();
    }

    @Override
    public void close() {
        Processes.kill(process);
    }

    private static ChildJvm launch(
            String classPath, Map<String, String> environment, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-D" + EmbeddedRedis.BINARY_PROPERTY + "=" + System.getProperty(EmbeddedRedis.BINARY_PROPERTY, ""),
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(environment);
            ChildJvm child = new ChildJvm(Guardian.start(builder));
            child.pump(child.process.getInputStream(), child::accept, child.started);
            child.pump(
                    child.process.getErrorStream(),
                    line -> child.errors.append(line).append('\n'),
                    child.allErrors);
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void pump(InputStream in, Consumer<String> consumer, CountDownLatch end) {
        Thread pump = new Thread(
                () -> {
                    try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                        lines.lines().forEach(consumer);
                    } catch (IOException | UncheckedIOException e) {
                        // The child was killed.
                    }
                    end.countDown();
                    failPending();
                },
                "child-jvm-" + process.pid());
        pump.setDaemon(true);
        pump.start();
    }

    private void accept(String line) {
        if (line.equals(ChildRequests.READY)) {
            serving = true;
            started.countDown();
            return;
        }
        List<String> words = ChildRequests.split(line);
        CompletableFuture<String> answer = pending.remove(words.get(0));
        if (answer != null && words.get(1).equals(ChildRequests.OK)) {
            answer.complete(words.get(2));
        } else if (answer != null) {
            answer.completeExceptionally(new Failure(words.get(2), words.get(3)));
        }
    }

    private void println(String line) {
        try {
            synchronized (process) {
                OutputStream out = process.getOutputStream();
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (IOException e) {
            failPending();
        }
    }

    private void failPending() {
        pending.keySet().forEach(id -> {
            CompletableFuture<String> answer = pending.remove(id);
            if (answer != null) {
                answer.completeExceptionally(new IllegalStateException("The child has ended:\n" + errors));
            }
        });
    }
}
