package io.distributedlock.redis;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Words of a command as Redis reads them, each with its length before it. The thread that wants the command writes them, so
 * that nothing but copying is left to the event loop, which all threads share.
 */
final class Words {

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

    Words add(long number) {
        return add(Long.toString(number));
    }

    Words add(String word) {
        return add(word, "", "");
    }

    /** Adds one word that consists of three parts. */
    Words add(String first, String second, String third) {
        int start = length;
        begin(first.length() + second.length() + third.length());
        if (!append(first) || !append(second) || !append(third)) {
            byte[] word = (first + second + third).getBytes(StandardCharsets.UTF_8);
            length = start;
            begin(word.length);
            System.arraycopy(word, 0, bytes, length, word.length);
            length += word.length;
        }
        line();
        count++;
        return this;
    }

    private void begin(int size) {
        int needed = length + size + MOST_DIGITS + 5;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        }
        bytes[length++] = '$';
        append(Integer.toString(size));
        line();
    }

    private void line() {
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** @return false if it is not of ASCII alone */
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
}
