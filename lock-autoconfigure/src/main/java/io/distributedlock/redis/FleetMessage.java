/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMode;
import io.distributedlock.LockOrigin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The format of a request for the holds and waits of an instance, and of the reply, which may take several messages:
 * {@code list <requester> <number> <locks> <after>}, and {@code here <number> <part> <parts> <text>}. The texts of the
 * parts, one after the other, are rows that end with a semicolon; the first letter of a row is its kind, and a version
 * ignores unknown rows and fields.
 */
final class FleetMessage {

    static final String LIST = "list ";

    static final String HERE = "here ";

    /** The maximum size of one reply. */
    static final int PARTS = 64;

    private static final int PART_LENGTH = 24_000;

    /** With room for the row about the instance itself. */
    private static final int LONGEST_ROWS = (PARTS - 1) * PART_LENGTH;

    private static final String NONE = "-";

    /** The place of the database in the row about the instance, which is the first. */
    private static final int DATABASE = 7;

    private FleetMessage() {}

    static String list(String requester, String number, int atMost, String after) {
        return LIST + requester + " " + number + " " + atMost + " " + InstanceMessage.encode(after);
    }

    /** The number of requested locks, -1 if the message cannot be read. */
    static int atMost(String message) {
        return number(InstanceMessage.word(message, 3));
    }

    /** The name before the page, or null if the message cannot be read. */
    static @Nullable String after(String message) {
        try {
            return InstanceMessage.decode(InstanceMessage.word(message, 4));
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }

    static int number(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException ex) {
            return -1;
        }
    }

    /** The messages of a reply. A page that does not fit into them ends earlier, between two names. */
    static List<String> here(String number, InstanceReport report, int database) {
        NavigableMap<String, StringBuilder> names = new TreeMap<>();
        report.held().forEach(held -> addHeld(names.computeIfAbsent(held.name(), name -> new StringBuilder()), held));
        report.waiting()
                .forEach(wait ->
                        addWait(names.computeIfAbsent(wait.longest().name(), name -> new StringBuilder()), wait));
        StringBuilder fitting = new StringBuilder();
        String last = null;
        String cutAfter = report.cutAfter();
        for (Map.Entry<String, StringBuilder> each : names.entrySet()) {
            if (last != null && fitting.length() + each.getValue().length() > LONGEST_ROWS) {
                cutAfter = last;
                break;
            }
            fitting.append(each.getValue());
            last = each.getKey();
        }
        StringBuilder rows = new StringBuilder();
        add(
                rows,
                "i",
                InstanceMessage.encode(InstanceMessage.cut(String.valueOf(report.label()))),
                report.connected(),
                report.subscribed(),
                report.heldTotal(),
                report.waitingTotal(),
                cutAfter == null ? NONE : InstanceMessage.encode(cutAfter),
                database);
        rows.append(fitting);
        int parts = Math.min(PARTS, (rows.length() + PART_LENGTH - 1) / PART_LENGTH);
        List<String> messages = new ArrayList<>(parts);
        for (int i = 0; i < parts; i++) {
            String text = rows.substring(i * PART_LENGTH, Math.min(rows.length(), (i + 1) * PART_LENGTH));
            messages.add(HERE + number + " " + i + " " + parts + " " + text);
        }
        return messages;
    }

    private static void addHeld(StringBuilder rows, LockActivity.Held held) {
        add(
                rows,
                "h",
                InstanceMessage.encode(held.name()),
                held.fencingToken(),
                held.heldFor().toMillis(),
                held.remainingLease().toMillis(),
                held.sinceRenewal() == null ? NONE : held.sinceRenewal().toMillis(),
                InstanceMessage.encode(InstanceMessage.cut(held.caller())),
                optional(held.origin().method()),
                held.reentries(),
                held.waiters(),
                optional(held.traceId()),
                held.mode());
    }

    private static void addWait(StringBuilder rows, InstanceReport.Wait wait) {
        LockActivity.Waiting longest = wait.longest();
        add(
                rows,
                "w",
                InstanceMessage.encode(longest.name()),
                longest.waitedFor().toMillis(),
                longest.remainingWait() == null ? NONE : longest.remainingWait().toMillis(),
                InstanceMessage.encode(InstanceMessage.cut(longest.caller())),
                optional(longest.origin().method()),
                optional(longest.traceId()),
                wait.callers());
    }

    private static void add(StringBuilder rows, String kind, Object... fields) {
        rows.append(kind);
        for (Object field : fields) {
            rows.append(',').append(field);
        }
        rows.append(';');
    }

    /**
     * Whether the reply is of an instance with another database, which has other locks. Redis passes messages between
     * databases. The row of an older version has no database.
     */
    static boolean isOfOtherDatabase(String rows, int database) {
        String[] self = rows.split(";", 2)[0].split(",", -1);
        return self.length > DATABASE && !self[DATABASE].equals(String.valueOf(database));
    }

    /** The reply of an instance, or null if it cannot be read. */
    static @Nullable InstanceReport report(String instance, String rows) {
        List<LockActivity.Held> held = new ArrayList<>();
        List<InstanceReport.Wait> waiting = new ArrayList<>();
        String[] self = null;
        try {
            for (String row : rows.substring(0, rows.lastIndexOf(';') + 1).split(";", -1)) {
                String[] fields = row.split(",", -1);
                switch (fields[0]) {
                    case "i" -> self = fields;
                    case "h" -> held.add(held(fields));
                    case "w" -> waiting.add(waiting(fields));
                    default -> {}
                }
            }
            return self == null ? null : report(instance, self, held, waiting);
        } catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
            return null;
        }
    }

    private static InstanceReport report(
            String instance, String[] self, List<LockActivity.Held> held, List<InstanceReport.Wait> waiting) {
        return new InstanceReport(
                instance,
                InstanceMessage.decode(self[1]),
                true,
                Boolean.parseBoolean(self[2]),
                Boolean.parseBoolean(self[3]),
                Integer.parseInt(self[4]),
                Integer.parseInt(self[5]),
                held,
                waiting,
                decodeOptional(self[6]));
    }

    private static LockActivity.Held held(String[] fields) {
        return new LockActivity.Held(
                InstanceMessage.decode(fields[1]),
                Long.parseLong(fields[2]),
                millis(fields[3]),
                millis(fields[4]),
                InstanceMessage.decode(fields[6]),
                Integer.parseInt(fields[8]),
                Integer.parseInt(fields[9]),
                origin(fields[7]),
                decodeOptional(fields[10]),
                fields[5].equals(NONE) ? null : millis(fields[5]),
                LockMode.valueOf(fields[11]));
    }

    private static InstanceReport.Wait waiting(String[] fields) {
        LockActivity.Waiting longest = new LockActivity.Waiting(
                InstanceMessage.decode(fields[1]),
                InstanceMessage.decode(fields[4]),
                millis(fields[2]),
                fields[3].equals(NONE) ? null : millis(fields[3]),
                null,
                origin(fields[5]),
                decodeOptional(fields[6]));
        return new InstanceReport.Wait(longest, Integer.parseInt(fields[7]));
    }

    private static LockOrigin origin(String method) {
        return new LockOrigin(LockOrigin.NONE.label(), decodeOptional(method), false);
    }

    private static Duration millis(String word) {
        return Duration.ofMillis(Long.parseLong(word));
    }

    private static String optional(@Nullable String text) {
        return text == null ? NONE : InstanceMessage.encode(InstanceMessage.cut(text));
    }

    private static @Nullable String decodeOptional(String word) {
        return word.equals(NONE) ? null : InstanceMessage.decode(word);
    }
}
