/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * One line of a history.
 *
 * @param jvm who wrote it
 * @param owner in whose name: a thread of a JVM, an explicit owner, or an asynchronous acquisition by itself. Of a
 *     fault: what it hit
 * @param lock the name of the lock. Of a fault: its kind
 * @param acquisition a number that the whole life of an acquisition has, from its call to its release; unique in its
 *     JVM
 * @param nanos when, by {@link System#nanoTime()}: before a call is made, and after it has returned
 * @param token the fencing token, or {@link #NONE}. Of a fault: {@link Fault#LOSES_DATA} if Redis may forget
 * @param deadline of a call to acquire: when its wait is over; of a hold: until when it is certain; of a release that
 *     is done, or may be done: until when the lock stays taken all the same; or {@link #NONE}
 * @param shared whether it is about a reader, who holds the lock beside others
 */
public record Event(
        String jvm,
        String owner,
        String lock,
        long acquisition,
        Operation operation,
        Phase phase,
        long nanos,
        long token,
        long deadline,
        boolean shared) {

    /** No token, no deadline. */
    public static final long NONE = -1;

    /** What was done. */
    public enum Operation {
        ACQUIRE,
        /** The same of one of several locks that the caller acquires all or none: it may be waiting for another. */
        ACQUIRE_TOGETHER,
        RENEW,
        RELEASE,
        /** The hold was found to be lost. Has no invocation. */
        LOST,
        FENCED_WRITE,
        /** A counter was read and written back, with no protection but the lock. */
        COUNT,
        FAULT,
        /** The JVM, or the whole machine, stood still. Written down afterwards. */
        STALL,
        /** The clock of another JVM, which is the owner, was found to be the same as this one's. */
        CLOCK;

        boolean isAcquisition() {
            return this == ACQUIRE || this == ACQUIRE_TOGETHER;
        }

        boolean isOfLocks() {
            return isAcquisition() || this == RENEW || this == RELEASE;
        }

        /** Whether the event names a lock. */
        boolean hasLock() {
            return this != FAULT && this != STALL && this != CLOCK;
        }
    }

    /** How far it got. */
    public enum Phase {
        INVOKE,
        OK,
        /** It certainly did not happen. Of a fault: it hit nothing. */
        FAIL,
        /** It may have happened, or may happen yet. */
        UNKNOWN
    }

    /** Of a caller that holds the lock alone, or of no caller. */
    Event(
            String jvm,
            String owner,
            String lock,
            long acquisition,
            Operation operation,
            Phase phase,
            long nanos,
            long token,
            long deadline) {
        this(jvm, owner, lock, acquisition, operation, phase, nanos, token, deadline, false);
    }

    /** The owner of a caller that has named none: a thread or a future of one JVM. */
    static String ownerIn(String jvm, String caller) {
        return jvm + '/' + caller;
    }

    boolean hasExplicitOwner() {
        return !owner.startsWith(ownerIn(jvm, ""));
    }

    /** The same acquisition, later. */
    Event then(Operation next, Phase how, long when, long until) {
        return new Event(jvm, owner, lock, acquisition, next, how, when, token, until, shared);
    }

    Event at(long when) {
        return new Event(jvm, owner, lock, acquisition, operation, phase, when, token, deadline, shared);
    }

    Event withToken(long known) {
        return new Event(jvm, owner, lock, acquisition, operation, phase, nanos, known, deadline, shared);
    }

    Event ofReader(boolean reads) {
        return new Event(jvm, owner, lock, acquisition, operation, phase, nanos, token, deadline, reads);
    }

    Event ofSet() {
        return new Event(
                jvm, owner, lock, acquisition, Operation.ACQUIRE_TOGETHER, phase, nanos, token, deadline, shared);
    }

    /** Without an end of line. Any text goes. */
    String toLine() {
        return encode(jvm)
                + ' '
                + encode(owner)
                + ' '
                + encode(lock)
                + ' '
                + acquisition
                + ' '
                + operation
                + ' '
                + phase
                + ' '
                + nanos
                + ' '
                + token
                + ' '
                + deadline
                + ' '
                + shared;
    }

    static Event ofLine(String line) {
        String[] words = line.split(" ", -1);
        return new Event(
                decode(words[0]),
                decode(words[1]),
                decode(words[2]),
                Long.parseLong(words[3]),
                Operation.valueOf(words[4]),
                Phase.valueOf(words[5]),
                Long.parseLong(words[6]),
                Long.parseLong(words[7]),
                Long.parseLong(words[8]),
                Boolean.parseBoolean(words[9]));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String word) {
        return URLDecoder.decode(word, StandardCharsets.UTF_8);
    }
}
