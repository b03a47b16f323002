/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.HoldReport;
import io.distributedlock.LockMonitor.HoldReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request between instances, {@code ask <instance> <number> <name>}, and its reply, {@code tell <number> -} or
 * {@code tell <number> <token> <held ms> <name> <label> <caller> <method>} with a name and an id for each wait, and at
 * the end the number of callers that wait, with a colon and the trace of the caller if that is known. Texts are in
 * Base64, so that their content is never read as a part of the message.
 */
final class InstanceMessage {

    static final String REQUEST = "ask ";

    static final String REPORT = "tell ";

    private static final String NONE = "-";

    private static final String BEFORE_TRACE = ":";

    /** Maximum number of waits in a reply. */
    private static final int WAITS = 4;

    private static final int LONGEST_TEXT = 1_000;

    private static final Pattern INSTANCE = Pattern.compile("[A-Za-z0-9_-]{8}");

    private static final Pattern ADDRESS = Pattern.compile(INSTANCE.pattern() + "(\\{[0-9a-z]{1,6}\\})?");

    private InstanceMessage() {}

    static boolean isInstance(String id) {
        return INSTANCE.matcher(id).matches();
    }

    /** Whether the text names a channel of an instance: an id, or in a cluster an id and a tag. */
    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** A word of a message, empty if it has fewer. */
    static String word(String message, int index) {
        String[] words = message.split(" ", index + 2);
        return words.length > index ? words[index] : "";
    }

    static String request(String requester, String number, String lockName) {
        return REQUEST + requester + " " + number + " " + encode(lockName);
    }

    /** The requested lock, or null if the message cannot be read. */
    static @Nullable String nameIn(String message) {
        try {
            return decode(word(message, 3));
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }

    static String report(String number, @Nullable HoldReport report) {
        StringBuilder reply = new StringBuilder(REPORT).append(number).append(' ');
        if (report == null) {
            return reply.append(NONE).toString();
        }
        reply.append(report.fencingToken())
                .append(' ')
                .append(report.heldFor().toMillis())
                .append(' ')
                .append(encode(report.lockName()))
                .append(' ')
                .append(encode(cut(report.label())))
                .append(' ')
                .append(encode(cut(report.caller())))
                .append(' ')
                .append(report.method() == null ? NONE : encode(cut(report.method())));
        report.waits().stream()
                .filter(wait -> wait.lockName().length() <= LONGEST_TEXT)
                .limit(WAITS)
                .forEach(wait -> reply.append(' ')
                        .append(encode(wait.lockName()))
                        .append(' ')
                        .append(wait.id()));
        // One word more than pairs of words: an older version ignores it.
        reply.append(' ').append(report.waiters());
        if (report.traceId() != null) {
            reply.append(BEFORE_TRACE).append(encode(cut(report.traceId())));
        }
        return reply.toString();
    }

    static HoldReply reply(String reply) {
        Optional<HoldReport> hold = report(reply);
        return new HoldReply(hold.isPresent() || word(reply, 2).equals(NONE), hold);
    }

    static Optional<HoldReport> report(String reply) {
        String[] words = reply.split(" ", -1);
        if (words.length < 8) {
            return Optional.empty();
        }
        try {
            List<HoldReport.Wait> waits = new ArrayList<>();
            for (int i = 8; i + 1 < words.length; i += 2) {
                waits.add(new HoldReport.Wait(decode(words[i]), words[i + 1]));
            }
            String[] last = words[words.length - 1].split(BEFORE_TRACE, 2);
            boolean hasLast = words.length % 2 == 1;
            return Optional.of(new HoldReport(
                    decode(words[4]),
                    Long.parseLong(words[2]),
                    decode(words[5]),
                    decode(words[6]),
                    words[7].equals(NONE) ? null : decode(words[7]),
                    Duration.ofMillis(Long.parseLong(words[3])),
                    waits,
                    hasLast ? Integer.parseInt(last[0]) : 0,
                    hasLast && last.length == 2 ? decode(last[1]) : null));
        } catch (IllegalArgumentException ex) {
            return Optional.empty();
        }
    }

    static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }

    /** A dot precedes it, so that an empty text is a word too. */
    static String encode(String text) {
        return "." + Base64.getUrlEncoder().withoutPadding().encodeToString(MessageText.bytes(text));
    }

    static String decode(String word) {
        if (!word.startsWith(".")) {
            throw new IllegalArgumentException("Not a text");
        }
        return MessageText.of(Base64.getUrlDecoder().decode(word.substring(1)));
    }
}
