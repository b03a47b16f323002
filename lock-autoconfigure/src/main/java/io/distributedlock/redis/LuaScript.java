/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script beside this class. Called by its hash; its text is sent if Redis does not know the hash. */
final class LuaScript {

    private final byte[] byHash;

    private final byte[] byText;

    LuaScript(String file) {
        byte[] text = read(file);
        this.byHash = start("EVALSHA", sha1(text).getBytes(StandardCharsets.US_ASCII));
        this.byText = start("EVAL", text);
    }

    /** Writes a call of it: the hash or text is followed by the number of keys, the keys, and the arguments. */
    void writeCall(boolean asText, RespArguments operands, ByteBuf buffer) {
        int words = 2 + operands.count();
        buffer.writeByte('*');
        if (words < 10) {
            buffer.writeByte('0' + words);
        } else {
            buffer.writeCharSequence(Integer.toString(words), StandardCharsets.US_ASCII);
        }
        buffer.writeBytes(asText ? byText : byHash);
        operands.writeTo(buffer);
    }

    private static byte[] start(String command, byte[] script) {
        byte[] head = ("\r\n$" + command.length() + "\r\n" + command + "\r\n$" + script.length + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] start = new byte[head.length + script.length + 2];
        System.arraycopy(head, 0, start, 0, head.length);
        System.arraycopy(script, 0, start, head.length, script.length);
        start[start.length - 2] = '\r';
        start[start.length - 1] = '\n';
        return start;
    }

    static String text(String file) {
        return new String(read(file), StandardCharsets.UTF_8);
    }

    private static byte[] read(String file) {
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing from the class path");
            }
            return in.readAllBytes();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String sha1(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-1", ex);
        }
    }
}
