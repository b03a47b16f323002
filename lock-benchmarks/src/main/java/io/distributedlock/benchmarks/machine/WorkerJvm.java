/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.ChildRequests;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM that handles one request after the other, as fast as possible. Unlike the child JVMs of the tests, it has all
 * compilers and the default collector. Its main class serves {@link ChildRequests}, and so ends with this JVM.
 */
public final class WorkerJvm implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Process process;

    private final BufferedReader replies;

    private final ExecutorService requests;

    private WorkerJvm(Process process) {
        this.process = process;
        this.replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.requests = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "worker-" + process.pid());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Starts a JVM with these options and waits until it serves requests. */
    public static WorkerJvm start(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), main.getName()));
        command.addAll(Arrays.asList(arguments));
        try {
            WorkerJvm worker = new WorkerJvm(
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
            worker.await(CompletableFuture.supplyAsync(worker::readLine, worker.requests), START_LIMIT);
            return worker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request and waits for the reply. */
    public String request(Duration limit, String request, Object... arguments) {
        return await(send(request, arguments), limit);
    }

    /** Sends a request. The future fails if the request failed in the worker. */
    public CompletableFuture<String> send(String request, Object... arguments) {
        String line = Stream.concat(Stream.of("1", "main", request), Stream.of(arguments))
                .map(word -> URLEncoder.encode(String.valueOf(word), StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
        return CompletableFuture.supplyAsync(() -> exchange(line), requests);
    }

    /** Waits for a reply. A worker that does not reply in time is ended. */
    public String await(CompletableFuture<String> reply, Duration limit) {
        try {
            return reply.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            close();
            throw new IllegalStateException("A worker has not replied within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String exchange(String request) {
        try {
            process.getOutputStream().write((request + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> words = Arrays.stream(readLine().split(" ", -1))
                .map(word -> URLDecoder.decode(word, StandardCharsets.UTF_8))
                .toList();
        if (!words.get(1).equals("ok")) {
            throw new IllegalStateException("In a worker: " + words.get(2) + ": " + words.get(3));
        }
        return words.get(2);
    }

    private String readLine() {
        try {
            String line = replies.readLine();
            if (line == null) {
                throw new EOFException("The worker has ended");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        requests.shutdown();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Worker " + process.pid() + " cannot be ended");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
