/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.testing.TcpStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Clocks of servers that are ahead of the real one. The clock of one process cannot be set, so it is what instances see
 * that changes: on their way to the server, their scripts get another clock, and the command TIME becomes a script.
 */
final class ServerClocks {

    private static final String TIME = "redis.call('TIME')";

    private static final Pattern READS_TIME = Pattern.compile("redis\\.p?call\\('TIME'\\)");

    private static final String SHIFTED = "shifted()";

    private static final String FUNCTION = """
            local function shifted()
              local time = %s
              local micros = time[1] * 1000000 + time[2] + %d
              return {string.format('%%.0f', math.floor(micros / 1000000)), string.format('%%.0f', micros %% 1000000)}
            end
            """;

    /** As many replies as make it certain that one of them was not late. */
    private static final int SEVERAL = 5;

    private static final Pattern INCLUDE = Pattern.compile("(?m)^ *--- @include \"(.+)\"\\n");

    private static final Map<String, String> SCRIPTS = List.of(
                    "acquire.lua", "release.lua", "release-owner.lua", "force-release.lua", "renew.lua", "inspect.lua")
            .stream()
            .map(ServerClocks::script)
            .peek(ServerClocks::requireKnownReads)
            .collect(Collectors.toMap(ServerClocks::hash, Function.identity()));

    private final Map<Integer, Long> aheadMicros = new ConcurrentHashMap<>();

    private final Map<Integer, AtomicLong> edits = new ConcurrentHashMap<>();

    private final Map<Integer, Set<ClockEditor>> readers = new ConcurrentHashMap<>();

    /** Only ahead: a clock that is set back is another fault. */
    void setAhead(int server, Duration by) {
        aheadMicros.merge(server, by.toNanos() / 1_000, Math::max);
    }

    /** How many calls of scripts by their hashes to this server have got another clock. */
    long edits(int server) {
        return edits.computeIfAbsent(server, any -> new AtomicLong()).get();
    }

    /**
     * How many connections have sent TIME several times to a clock that is ahead: by then, the instances know that
     * clock, although the first replies of a busy machine may be late, and a late reply only limits it.
     */
    int readers(int server) {
        return readers.getOrDefault(server, Set.of()).size();
    }

    /** For one connection to the server. */
    TcpStream.Editor editor(int server) {
        return new ClockEditor(server);
    }

    private final class ClockEditor implements TcpStream.Editor {

        private final int server;

        private byte[] rest = {};

        private int reads;

        ClockEditor(int server) {
            this.server = server;
        }

        @Override
        public byte[] edit(byte[] bytes, int count) {
            ByteArrayOutputStream all = new ByteArrayOutputStream(rest.length + count);
            all.write(rest, 0, rest.length);
            all.write(bytes, 0, count);
            RespCommands commands = new RespCommands(all.toByteArray(), StandardCharsets.ISO_8859_1);
            ByteArrayOutputStream out = new ByteArrayOutputStream(all.size());
            for (List<String> words = commands.next(); !words.isEmpty(); words = commands.next()) {
                byte[] edited = edited(words, commands.raw());
                out.write(edited, 0, edited.length);
            }
            rest = commands.rest();
            return out.toByteArray();
        }

        private byte[] edited(List<String> words, byte[] raw) {
            Long ahead = aheadMicros.get(server);
            List<String> shifted = ahead == null ? words : shifted(words, ahead);
            if (shifted == words) {
                return raw;
            }
            if (words.get(0).equals("TIME")) {
                read();
            } else if (words.get(0).equals("EVALSHA")) {
                edits.computeIfAbsent(server, any -> new AtomicLong()).incrementAndGet();
            }
            StringBuilder command = new StringBuilder("*" + shifted.size() + "\r\n");
            shifted.forEach(word -> command.append("$" + word.length() + "\r\n" + word + "\r\n"));
            return command.toString().getBytes(StandardCharsets.ISO_8859_1);
        }

        private void read() {
            reads++;
            if (reads == SEVERAL) {
                readers.computeIfAbsent(server, any -> ConcurrentHashMap.newKeySet())
                        .add(this);
            }
        }
    }

    private static List<String> shifted(List<String> words, long ahead) {
        String script = words.size() > 1 ? words.get(1) : "";
        return switch (words.get(0)) {
            case "TIME" -> List.of("EVAL", shifted("return " + TIME, ahead), "0");
            case "EVALSHA" ->
                SCRIPTS.containsKey(script) ? with(words, hash(shifted(SCRIPTS.get(script), ahead))) : words;
            case "EVAL" -> READS_TIME.matcher(script).find() ? with(words, shifted(script, ahead)) : words;
            default -> words;
        };
    }

    private static List<String> with(Collection<String> words, String script) {
        List<String> changed = new ArrayList<>(words);
        changed.set(1, script);
        return changed;
    }

    private static String shifted(String script, long ahead) {
        return FUNCTION.formatted(TIME, ahead) + READS_TIME.matcher(script).replaceAll(SHIFTED);
    }

    /** A read of the clock in another form would not be shifted, and faults of the clock would test nothing. */
    private static void requireKnownReads(String script) {
        if (READS_TIME.matcher(script).replaceAll("").contains("'TIME'")) {
            throw new IllegalStateException("A script reads the clock in a form that is not shifted: " + script);
        }
    }

    /** With the files that it includes, as instances send it. */
    private static String script(String file) {
        return INCLUDE.matcher(read(file)).replaceAll(include -> Matcher.quoteReplacement(read(include.group(1))));
    }

    private static String read(String file) {
        try (InputStream in = RedisLockTemplate.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hash(String script) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(script.getBytes(StandardCharsets.ISO_8859_1));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
