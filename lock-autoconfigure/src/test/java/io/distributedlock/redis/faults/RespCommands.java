/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The commands in some bytes that a client has sent, one after the other, as far as all bytes of them are there. */
final class RespCommands {

    private final byte[] bytes;

    private final Charset charset;

    private int previous;

    private int begin;

    private int at;

    RespCommands(byte[] bytes, Charset charset) {
        this.bytes = bytes;
        this.charset = charset;
    }

    /** The words of the next command; empty if it is not complete. */
    List<String> next() {
        at = begin;
        int count = number();
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = number();
            if (length < 0 || at + length + 2 > bytes.length) {
                return List.of();
            }
            words.add(new String(bytes, at, length, charset));
            at += length + 2;
        }
        previous = begin;
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

    /** All bytes of the command that was read last. */
    byte[] raw() {
        return Arrays.copyOfRange(bytes, previous, begin);
    }

    /** The bytes after that command. */
    byte[] rest() {
        return Arrays.copyOfRange(bytes, begin, bytes.length);
    }
}
