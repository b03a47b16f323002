/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Writes any text as one word without braces, so that it can be in a hash tag and in a list. Two texts never have the
 * same word. Texts whose word is longer than {@link #MAX_BYTES} are truncated and distinguished by their SHA-256.
 */
final class LockNameCodec {

    static final int MAX_BYTES = 512;

    /** Precedes the hash of a long text; never occurs in an escape, which has hexadecimal digits or a u there. */
    private static final String HASH_MARK = "%#";

    private static final int KEPT_OF_LONG = 64;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private LockNameCodec() {}

    static String encode(String text) {
        String encoded = escape(text);
        if (encoded.length() <= MAX_BYTES / 3 || encoded.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES) {
            return encoded;
        }
        return escape(text.substring(0, KEPT_OF_LONG)) + HASH_MARK + sha256(encoded);
    }

    /** The text of a word, or null if only its hash is known. */
    static @Nullable String decode(String encoded) {
        if (encoded.contains(HASH_MARK)) {
            return null;
        }
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        StringBuilder text = new StringBuilder(encoded.length());
        int i = 0;
        while (i < encoded.length()) {
            if (encoded.charAt(i) != '%') {
                text.append(encoded.charAt(i++));
            } else {
                int digits = encoded.startsWith("%u", i) ? 4 : 2;
                int from = i + (digits == 4 ? 2 : 1);
                text.append((char) HexFormat.fromHexDigits(encoded, from, from + digits));
                i = from + digits;
            }
        }
        return text.toString();
    }

    private static String escape(String text) {
        int plain = 0;
        while (plain < text.length() && isPlain(text, plain)) {
            plain++;
        }
        if (plain == text.length()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, plain);
        for (int i = plain; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isPlain(text, i)) {
                encoded.append(c);
            } else if (Character.isSurrogate(c)) {
                encoded.append("%u").append(HEX.toHexDigits(c));
            } else {
                encoded.append('%').append(HEX.toHexDigits((byte) c));
            }
        }
        return encoded.toString();
    }

    private static boolean isPlain(String text, int i) {
        char c = text.charAt(i);
        if (c <= ' ' || c == 0x7F || c == '%' || c == '{' || c == '}' || c == ';') {
            return false;
        }
        return !isLoneSurrogate(text, i);
    }

    /** Whether that is one half of a character, without the other one. */
    static boolean isLoneSurrogate(String text, int i) {
        return Character.isSurrogate(text.charAt(i)) && !isPaired(text, i);
    }

    private static boolean isPaired(String text, int i) {
        char c = text.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-256", ex);
        }
    }
}
