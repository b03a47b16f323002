/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.RespClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A lock in Redis with a line of waiting instances, written by the scripts of this library alone. The instances listen,
 * all on one connection, and do nothing else.
 */
public final class ScriptedLine implements AutoCloseable {

    private static final String PREFIX = "crowd:";

    private static final String ENTRY = PREFIX + "{line}";

    private static final String LEASE = "600000";

    /** The directive that the library replaces with a file before it sends a script. */
    private static final Pattern INCLUDE = Pattern.compile("(?m)^ *--- @include \"(.+)\"\\n");

    private final String release;

    private final RespClient client;

    private final RespClient listening;

    /** The acquisition that owns the lock, followed by the waiting acquisitions. */
    private final ArrayDeque<String> line = new ArrayDeque<>();

    private final String acquire = script("acquire.lua");

    private int acquisitions;

    /** @param waiting the number of waiting instances */
    public ScriptedLine(int port, int waiting) {
        client = RespClient.connect(port);
        listening = RespClient.connect(port);
        List<String> channels = new ArrayList<>();
        channels.add("SUBSCRIBE");
        for (int instance = 0; instance <= waiting; instance++) {
            channels.add(PREFIX + "instance:i" + instance);
        }
        listening.call(channels.toArray(String[]::new));
        for (int i = 1; i <= waiting; i++) {
            listening.receive();
        }
        release = String.valueOf(client.call("SCRIPT", "LOAD", script("release.lua")));
        for (int instance = 0; instance <= waiting; instance++) {
            queue("i" + instance);
        }
    }

    private static String script(String name) {
        try (InputStream in = ScriptedLine.class.getResourceAsStream("/io/distributedlock/redis/" + name)) {
            if (in == null) {
                throw new IllegalStateException("There is no script " + name);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return INCLUDE.matcher(text).replaceAll(file -> Matcher.quoteReplacement(script(file.group(1))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void queue(String instance) {
        String id = instance + ".secret." + ++acquisitions;
        client.call("EVAL", acquire, "2", ENTRY, ENTRY + "cancelled", id, LEASE, "0");
        line.add(id);
    }

    /**
     * Hands the lock over this many times. After each release, the previous owner is the last one in the line.
     *
     * @return the time that Redis takes for one of these releases, in µs, according to its command statistics
     */
    public double handOver(int times) {
        client.call("CONFIG", "RESETSTAT");
        for (int i = 0; i < times; i++) {
            String owner = line.remove();
            Object reply = client.call("EVALSHA", release, "1", ENTRY, owner, "0");
            if (!(reply instanceof List<?> list) || !list.get(0).equals(2L)) {
                throw new IllegalStateException("The lock was not handed over: " + reply);
            }
            listening.receive();
            queue(owner.substring(0, owner.indexOf('.')));
        }
        return client.text("INFO", "commandstats")
                .lines()
                .filter(each -> each.startsWith("cmdstat_evalsha:"))
                .map(each -> each.replaceAll("^.*usec_per_call=([0-9.]+).*$", "$1"))
                .mapToDouble(Double::parseDouble)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        client.close();
        listening.close();
    }
}
