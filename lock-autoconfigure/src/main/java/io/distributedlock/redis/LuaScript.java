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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script beside this class. Called by its hash; its text is sent if Redis does not know the hash.
 *
 * <p>A line {@code --- @include "include/messages.lua"} in a script stands for that file. The files are joined when the
 * class is loaded, and only whole files, so the text and its hash are the same in every instance of a version. Redis
 * executes each definition of a function with each call: a script includes a file after its shorter paths have
 * returned. Included files include no others; a comment at the beginning of each says which names it uses.
 */
final class LuaScript {

    private static final Pattern INCLUDE = Pattern.compile("(?m)^ *--- @include \"(.+)\"\\n");

    private final byte[] byHash;

    private final byte[] byText;

    LuaScript(String file) {
        byte[] text = text(file).getBytes(StandardCharsets.UTF_8);
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

    /** The script with the files that it includes. */
    static String text(String file) {
        return INCLUDE.matcher(read(file)).replaceAll(include -> Matcher.quoteReplacement(read(include.group(1))));
    }

    private static String read(String file) {
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
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
