/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The reply of a script that returns one number or a list of them, read without creating objects for numbers. */
final class IntegerListOutput extends CommandOutput<String, String, IntegerListOutput> {

    private static final String NOT_A_NUMBER = "Redis gave something else than numbers";

    private long first;

    private long @Nullable [] all;

    private int size;

    @SuppressWarnings("NullAway") // Lettuce's class is made so that the output may come later
    IntegerListOutput() {
        super(StringCodec.UTF8, null);
    }

    @Override
    public IntegerListOutput get() {
        return this;
    }

    int size() {
        return size;
    }

    long get(int index) {
        if (index >= size) {
            throw new IllegalStateException("Redis gave " + size + " numbers, and not one more");
        }
        return all == null ? first : all[index];
    }

    @Override
    public void multi(int count) {
        if (all != null || size > 0 || count < 0) {
            throw new IllegalStateException(NOT_A_NUMBER);
        }
        all = new long[count];
    }

    @Override
    public void set(long number) {
        if (all == null) {
            first = number;
        } else {
            all[size] = number;
        }
        size++;
    }

    /** A number as text. */
    @Override
    public void set(@Nullable ByteBuffer digits) {
        if (digits == null || !digits.hasRemaining()) {
            throw new IllegalStateException(NOT_A_NUMBER);
        }
        long number = 0;
        while (digits.hasRemaining()) {
            int digit = digits.get() - '0';
            if (digit < 0 || digit > 9) {
                throw new IllegalStateException(NOT_A_NUMBER);
            }
            number = 10 * number + digit;
        }
        set(number);
    }
}
