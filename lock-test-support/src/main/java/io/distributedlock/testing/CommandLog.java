/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a server executes, in order, as its MONITOR tells it: what clients sent and what their scripts did.
 * Commands of {@link RespClient} are left out. It slows the server down, so do not measure times meanwhile.
 */
public final class CommandLog implements AutoCloseable {

    /** What an instance asks about a server when it connects, and what keeps a connection. */
    private static final Set<String> OF_CONNECTIONS = Set.of("ping", "info", "pubsub");

    private static final Pattern LINE =
            Pattern.compile("([0-9]+)\\.([0-9]{6}) \\[[0-9]+ (lua|[^]]*)] \"([^\"]*)\"(.*)");

    private final RespClient monitor;

    private final RespClient marker;

    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    private volatile @Nullable Mark mark;

    private CommandLog(RespClient monitor, RespClient marker) {
        this.monitor = monitor;
        this.marker = marker;
    }

    /**
     * One command.
     *
     * @param micros the server's time
     * @param inScript whether a script called it
     * @param name in lower case
     * @param arguments as MONITOR writes them
     */
    public record Entry(long micros, boolean inScript, String name, String arguments) {

        private static final Pattern WORD = Pattern.compile("\"([^\"\\\\]*)\"");

        /** The arguments one by one, for commands without special characters. */
        public List<String> words() {
            return WORD.matcher(arguments)
                    .results()
                    .map(result -> result.group(1))
                    .toList();
        }
    }

    private record Mark(String text, CountDownLatch seen) {}

    /** Listens from now on. */
    public static CommandLog open(EmbeddedRedis redis) {
        CommandLog log = new CommandLog(redis.connect(), redis.connect());
        log.start();
        return log;
    }

    /** All commands up to now. */
    public List<Entry> entries() {
        Mark current = new Mark(UUID.randomUUID().toString(), new CountDownLatch(1));
        mark = current;
        marker.call("ECHO", current.text());
        try {
            if (!current.seen().await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("MONITOR is silent");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return List.copyOf(entries);
    }

    /** What clients sent up to now, without what they send once per connection or to keep it. */
    public List<Entry> clientCommands() {
        return entries().stream()
                .filter(entry -> !entry.inScript() && !OF_CONNECTIONS.contains(entry.name()))
                .toList();
    }

    /** Calls of one command up to now, by clients or scripts. */
    public List<Entry> calls(String name) {
        return entries().stream().filter(entry -> entry.name().equals(name)).toList();
    }

    /** Forgets all commands up to now. */
    public void clear() {
        entries();
        entries.clear();
    }

    @Override
    public void close() {
        monitor.close();
        marker.close();
    }

    private void start() {
        monitor.call("MONITOR");
        try {
            monitor.unbounded();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread reader = new Thread(this::read, "command-log");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            while (true) {
                accept(String.valueOf(monitor.reply()));
            }
        } catch (IOException e) {
            // Closed, by us or by the end of the server.
        }
    }

    private void accept(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalStateException("Not a line of MONITOR: " + line);
        }
        Mark current = mark;
        if (current != null && line.contains(current.text())) {
            current.seen().countDown();
            return;
        }
        String source = matcher.group(3);
        boolean inScript = source.equals("lua");
        if (inScript || !isOurs(source)) {
            long micros = Long.parseLong(matcher.group(1)) * 1_000_000 + Long.parseLong(matcher.group(2));
            entries.add(new Entry(micros, inScript, matcher.group(4).toLowerCase(Locale.ROOT), matcher.group(5)));
        }
    }

    private static boolean isOurs(String source) {
        int colon = source.lastIndexOf(':');
        return colon >= 0 && RespClient.isLocalPort(Integer.parseInt(source.substring(colon + 1)));
    }
}
