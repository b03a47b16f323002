/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of a text in a message between instances: UTF-8. A lone surrogate, for which UTF-8 has no bytes, has the
 * three bytes that a character of its number would have. They occur in no UTF-8, so two texts never have the same
 * bytes; an older version reads replacement characters in their place.
 */
final class MessageText {

    private static final int BYTES_OF_SURROGATE = 3;

    private MessageText() {}

    static byte[] bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 16);
        int written = 0;
        for (int i = 0; i < text.length(); i++) {
            if (LockNameCodec.isLoneSurrogate(text, i)) {
                bytes.writeBytes(text.substring(written, i).getBytes(StandardCharsets.UTF_8));
                bytes.write(0xE0 | (text.charAt(i) >> 12));
                bytes.write(0x80 | ((text.charAt(i) >> 6) & 0x3F));
                bytes.write(0x80 | (text.charAt(i) & 0x3F));
                written = i + 1;
            }
        }
        bytes.writeBytes(text.substring(written).getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    static String of(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        int read = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (isSurrogate(bytes, i)) {
                text.append(new String(bytes, read, i - read, StandardCharsets.UTF_8));
                text.append((char) (0xD000 | ((bytes[i + 1] & 0x3F) << 6) | (bytes[i + 2] & 0x3F)));
                read = i + BYTES_OF_SURROGATE;
            }
        }
        return text.append(new String(bytes, read, bytes.length - read, StandardCharsets.UTF_8))
                .toString();
    }

    /** In UTF-8, the first of these bytes begins a character, and is followed by one below 0xA0. */
    private static boolean isSurrogate(byte[] bytes, int i) {
        return bytes[i] == (byte) 0xED
                && i + BYTES_OF_SURROGATE <= bytes.length
                && (bytes[i + 1] & 0xE0) == 0xA0
                && (bytes[i + 2] & 0xC0) == 0x80;
    }
}
