/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations such as {@code 30s}, {@code -1ms} and {@code PT30S}. */
final class StrictDurationParser {

    private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d+)([a-z]*)");

    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ns", ChronoUnit.NANOS,
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private StrictDurationParser() {}

    /**
     * Parses a duration. Only zero and negative numbers need no unit, since their meaning does not depend on it.
     *
     * @throws IllegalArgumentException with a reason that completes "the value …"
     */
    static Duration parse(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        Matcher simple = SIMPLE.matcher(lower);
        try {
            return simple.matches() ? ofUnit(simple.group(1), simple.group(2)) : Duration.parse(lower);
        } catch (DateTimeException | ArithmeticException | NumberFormatException ex) {
            throw new IllegalArgumentException("is not a duration", ex);
        }
    }

    private static Duration ofUnit(String number, String unit) {
        long amount = Long.parseLong(number);
        if (!unit.isEmpty()) {
            ChronoUnit known = UNITS.get(unit);
            if (known == null) {
                throw new IllegalArgumentException("has the unknown unit \"" + unit + "\"");
            }
            return Duration.of(amount, known);
        }
        if (amount > 0) {
            throw new IllegalArgumentException("has no unit");
        }
        return Duration.ofSeconds(amount);
    }
}
