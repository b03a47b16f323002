/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

/**
 * The form of names of locks and owners, which may be any text from users, in messages and logs.
 *
 * @since 0.1.0
 */
public final class LockNames {

    /** Longer texts are truncated. */
    private static final int SHOWN = 200;

    private LockNames() {}

    /**
     * The text on one line, safe for any output: line breaks, control and formatting characters and lone surrogates as
     * {@code \\uXXXX}, and of more than 200 characters the first 200 with the length.
     *
     * @param text any text
     * @return the text itself if it is safe and short enough
     */
    public static String show(String text) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        int end = Math.min(text.length(), SHOWN);
        for (int i = 0; i < end; ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (isPlain(point)) {
                shown.appendCodePoint(point);
            } else {
                shown.append(String.format("\\u%04X", point));
            }
        }
        return end == text.length()
                ? shown.toString()
                : shown.append("... (")
                        .append(text.length())
                        .append(" characters)")
                        .toString();
    }

    /** The message with the name in this form. */
    static String showIn(String message, String name) {
        return isPlain(name) ? message : message.replace(name, show(name));
    }

    private static boolean isPlain(String text) {
        return text.length() <= SHOWN && text.codePoints().allMatch(LockNames::isPlain);
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
