/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The child's end of {@link ChildJvm}: its main method calls {@link #serve}. Requests of the same lane are served by
 * the same thread, one after the other; that thread lives as long as the child. The child ends with its standard input,
 * which is a pipe from the parent.
 */
public final class ChildRequests {

    static final String READY = "ready";

    static final String OK = "ok";

    static final String FAILED = "failed";

    private final Map<String, ExecutorService> lanes = new ConcurrentHashMap<>();

    private final Handler handler;

    private final PrintStream answers;

    private ChildRequests(Handler handler, PrintStream answers) {
        this.handler = handler;
        this.answers = answers;
    }

    /** One thing to do. */
    public record Request(String lane, String name, List<String> arguments) {

        public String text(int index) {
            return arguments.get(index);
        }

        public long number(int index) {
            return Long.parseLong(text(index));
        }
    }

    /** Does it. */
    @FunctionalInterface
    public interface Handler {

        /** The answer; a failure is passed on with its type and message. */
        String answer(Request request) throws Exception;
    }

    /** Serves requests until the parent is gone, and then halts this JVM. Does not return. */
    @SuppressWarnings("CatchAndPrintStackTrace") // The parent reads the error stream.
    public static void serve(Handler handler) {
        PrintStream answers = System.out;
        System.setOut(System.err);
        ChildRequests requests = new ChildRequests(handler, answers);
        requests.println(READY);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                requests.accept(line);
            }
        } catch (IOException | RuntimeException | Error e) {
            e.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    /** Words in one line: any text goes. */
    static String join(Stream<String> words) {
        return words.map(word -> URLEncoder.encode(word, StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
    }

    static List<String> split(String line) {
        return Arrays.stream(line.split(" ", -1))
                .map(word -> URLDecoder.decode(word, StandardCharsets.UTF_8))
                .toList();
    }

    private void accept(String line) {
        List<String> words = split(line);
        String id = words.get(0);
        Request request = new Request(words.get(1), words.get(2), words.subList(3, words.size()));
        lanes.computeIfAbsent(
                        request.lane(),
                        lane -> Executors.newSingleThreadExecutor(task -> new Thread(task, "lane-" + lane)))
                .execute(() -> answer(id, request));
    }

    private void answer(String id, Request request) {
        try {
            println(join(Stream.of(id, OK, handler.answer(request))));
        } catch (Throwable e) {
            println(join(Stream.of(id, FAILED, e.getClass().getName(), String.valueOf(e.getMessage()))));
        }
    }

    private void println(String line) {
        synchronized (answers) {
            answers.println(line);
            answers.flush();
        }
    }
}
