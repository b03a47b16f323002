/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.ScriptText;
import io.distributedlock.redis.history.Renewal;
import io.distributedlock.testing.TcpStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Reads along what one connection of an instance sends, and tells which locks it renews. */
final class RenewalSniffer implements TcpStream.Tap {

    private static final String SCRIPT = ScriptText.of("renew.lua");

    private static final String HASH = hash();

    private final String jvm;

    private final Consumer<Renewal> renewals;

    private byte[] rest = {};

    RenewalSniffer(String jvm, Consumer<Renewal> renewals) {
        this.jvm = jvm;
        this.renewals = renewals;
    }

    @Override
    public void read(byte[] bytes, int count) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(rest.length + count);
        all.write(rest, 0, rest.length);
        all.write(bytes, 0, count);
        Commands commands = new Commands(all.toByteArray());
        for (List<String> words = commands.next(); !words.isEmpty(); words = commands.next()) {
            accept(words);
        }
        rest = commands.rest();
    }

    private void accept(List<String> words) {
        if (words.size() > 2 && (words.get(1).equals(HASH) || words.get(1).equals(SCRIPT))) {
            long now = System.nanoTime();
            int keys = Integer.parseInt(words.get(2));
            for (String key : words.subList(3, 3 + keys)) {
                renewals.accept(new Renewal(jvm, key.substring(key.indexOf('{') + 1, key.lastIndexOf('}')), now));
            }
        }
    }

    /** Commands of which all bytes are there, one after the other. */
    private static final class Commands {

        private final byte[] bytes;

        private int begin;

        private int at;

        Commands(byte[] bytes) {
            this.bytes = bytes;
        }

        /** Empty if the next one is not complete. */
        List<String> next() {
            at = begin;
            int count = number();
            List<String> words = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int length = number();
                if (length < 0 || at + length + 2 > bytes.length) {
                    return List.of();
                }
                words.add(new String(bytes, at, length, StandardCharsets.UTF_8));
                at += length + 2;
            }
            begin = count < 0 ? begin : at;
            return words;
        }

        /** The number after a type, or -1 if its line is not complete. */
        private int number() {
            int value = 0;
            for (int i = at + 1; i < bytes.length; i++) {
                if (bytes[i] == '\n') {
                    at = i + 1;
                    return value;
                }
                value = bytes[i] == '\r' ? value : 10 * value + bytes[i] - '0';
            }
            return -1;
        }

        byte[] rest() {
            return Arrays.copyOfRange(bytes, begin, bytes.length);
        }
    }

    private static String hash() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(SCRIPT.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
