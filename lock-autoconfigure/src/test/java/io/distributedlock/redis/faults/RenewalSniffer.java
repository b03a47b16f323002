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
        RespCommands commands = new RespCommands(all.toByteArray(), StandardCharsets.UTF_8);
        for (List<String> words = commands.next(); !words.isEmpty(); words = commands.next()) {
            accept(words);
        }
        rest = commands.rest();
    }

    private void accept(List<String> words) {
        if (words.size() > 2 && (words.get(1).equals(HASH) || words.get(1).equals(SCRIPT))) {
            long now = System.nanoTime();
            boolean text = words.get(1).equals(SCRIPT);
            int keys = Integer.parseInt(words.get(2));
            for (String key : words.subList(3, 3 + keys)) {
                renewals.accept(new Renewal(jvm, key.substring(key.indexOf('{') + 1, key.lastIndexOf('}')), now, text));
            }
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
