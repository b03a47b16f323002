/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Words of a command in the format of Redis, each with its length before it. The calling thread writes them, so that
 * the event loop, which all threads share, only copies them.
 */
final class RespArguments {

    private static final int MOST_DIGITS = 10;

    private byte[] bytes = new byte[192];

    private int length;

    private int count;

    int count() {
        return count;
    }

    void writeTo(ByteBuf buffer) {
        buffer.writeBytes(bytes, 0, length);
    }

    RespArguments add(String word) {
        return add(word, "", "");
    }

    RespArguments add(long number) {
        return add("", number, 10);
    }

    /** Adds one word that consists of a text, which must be ASCII only, and a number that is not negative. */
    RespArguments add(String text, long number, int radix) {
        int digits = digits(number, radix);
        begin(text.length() + digits);
        append(text);
        append(number, digits, radix);
        return end();
    }

    /** Adds one word that consists of three parts. */
    RespArguments add(String first, String second, String third) {
        int start = length;
        begin(first.length() + second.length() + third.length());
        if (!append(first) || !append(second) || !append(third)) {
            byte[] word = (first + second + third).getBytes(StandardCharsets.UTF_8);
            length = start;
            begin(word.length);
            System.arraycopy(word, 0, bytes, length, word.length);
            length += word.length;
        }
        return end();
    }

    private void begin(int size) {
        int needed = length + size + MOST_DIGITS + 5;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        }
        bytes[length++] = '$';
        append(size, digits(size, 10), 10);
        line();
    }

    private RespArguments end() {
        line();
        count++;
        return this;
    }

    private void line() {
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** @return false if it is not ASCII only */
    private boolean append(String text) {
        int size = text.length();
        for (int i = 0; i < size; i++) {
            char c = text.charAt(i);
            if (c > 0x7F) {
                return false;
            }
            bytes[length + i] = (byte) c;
        }
        length += size;
        return true;
    }

    private static int digits(long number, int radix) {
        int digits = 1;
        for (long rest = number / radix; rest > 0; rest /= radix) {
            digits++;
        }
        return digits;
    }

    private void append(long number, int digits, int radix) {
        long rest = number;
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) Character.forDigit((int) (rest % radix), radix);
            rest /= radix;
        }
        length += digits;
    }
}
