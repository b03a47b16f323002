/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts commands by the server's own statistics, which cost nothing while they count. They do not tell commands of
 * clients from those inside scripts; {@link #scripts()} does, as scripts do not call scripts. For the exact list of
 * what clients sent see {@link CommandLog}.
 */
public final class CommandCounter implements AutoCloseable {

    private final RespClient client;

    private CommandCounter(RespClient client) {
        this.client = client;
    }

    /** Counts from now on. */
    public static CommandCounter start(EmbeddedRedis redis) {
        CommandCounter counter = new CommandCounter(redis.connect());
        counter.reset();
        return counter;
    }

    /** Counts from now on. */
    public void reset() {
        client.call("CONFIG", "RESETSTAT");
    }

    /** Calls of one command, e.g. {@code pexpire} or {@code script|load}, from clients or scripts. */
    public long calls(String command) {
        return calls().getOrDefault(command.toLowerCase(Locale.ROOT), 0L);
    }

    /** How many scripts clients have run. One that had to be sent again after NOSCRIPT counts twice. */
    public long scripts() {
        Map<String, Long> calls = calls();
        return calls.getOrDefault("evalsha", 0L)
                + calls.getOrDefault("eval", 0L)
                + calls.getOrDefault("evalsha_ro", 0L)
                + calls.getOrDefault("eval_ro", 0L)
                + calls.getOrDefault("fcall", 0L);
    }

    /**
     * As {@link #scripts()}, with those that were refused before they began: for their user, or as the server is busy.
     */
    public long scriptsTried() {
        Map<String, Long> rejected = figures("rejected_calls=");
        return scripts() + rejected.getOrDefault("evalsha", 0L) + rejected.getOrDefault("eval", 0L);
    }

    /**
     * All calls by command, without those of this counter and without what only keeps a connection. Rejected ones do
     * not count.
     */
    public Map<String, Long> calls() {
        Map<String, Long> calls = figures("calls=");
        calls.keySet().removeIf(name -> name.equals("info") || name.equals("config|resetstat") || name.equals("ping"));
        return calls;
    }

    private Map<String, Long> figures(String figure) {
        Map<String, Long> figures = new TreeMap<>();
        for (String line : client.text("INFO", "commandstats").split("\r\n", -1)) {
            if (line.startsWith("cmdstat_")) {
                String name = line.substring("cmdstat_".length(), line.indexOf(':'));
                int from = line.indexOf(figure) + figure.length();
                int to = line.indexOf(',', from);
                figures.put(name, Long.valueOf(line.substring(from, to < 0 ? line.length() : to)));
            }
        }
        return figures;
    }

    @Override
    public void close() {
        client.close();
    }
}
