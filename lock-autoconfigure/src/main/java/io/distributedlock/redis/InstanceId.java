/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The identity of this instance, and the ids of its acquisitions: {@code <instance>.<number>.<secret>}. The first part
 * names the channel of the instance and may be shown. The secret is a keyed hash of the number. An id in a message on a
 * channel reveals no other id, so other clients can neither release a lock nor forge a grant.
 */
final class InstanceId {

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    /** For 64 bits, six in each. */
    private static final int DIGITS_OF_LONG = 11;

    private static final int SLOT_BITS = 14;

    private final String publicPart = newPublicPart();

    private final String prefix = publicPart + '.';

    private final boolean sharded;

    private final SipHash first = new SipHash(RANDOM.nextLong(), RANDOM.nextLong());

    private final SipHash second = new SipHash(RANDOM.nextLong(), RANDOM.nextLong());

    InstanceId() {
        this(false);
    }

    private InstanceId(boolean sharded) {
        this.sharded = sharded;
    }

    /**
     * An instance that has a channel in each shard of a cluster: {@code <instance>{<tag>}} is the first part of its
     * acquisitions' ids, and the tag lies in the slot that the low bits of the number name.
     */
    static InstanceId inCluster() {
        return new InstanceId(true);
    }

    /** The number of an acquisition whose messages go to the channel in that slot. */
    static long numberWithSlot(long counter, int slot) {
        return counter << SLOT_BITS | slot;
    }

    static int slotOf(long number) {
        return (int) number & (1 << SLOT_BITS) - 1;
    }

    private static String newPublicPart() {
        byte[] drawn = new byte[6];
        RANDOM.nextBytes(drawn);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(drawn);
    }

    String publicPart() {
        return publicPart;
    }

    /** Adds the id of this instance's acquisition of that number. */
    void addAcquisition(RespArguments words, long number) {
        words.add(prefix(number), Long.toString(number, Character.MAX_RADIX), secret(number));
    }

    private String acquisition(long number) {
        return prefix(number) + Long.toString(number, Character.MAX_RADIX) + secret(number);
    }

    private String prefix(long number) {
        return sharded ? inSlot(slotOf(number)) + '.' : prefix;
    }

    /** The name of this instance's channel in that slot. */
    String inSlot(int slot) {
        return publicPart + '{' + SlotTags.of(slot) + '}';
    }

    private String secret(long number) {
        byte[] text = new byte[1 + 2 * DIGITS_OF_LONG];
        text[0] = '.';
        write(first.hash(number), text, 1);
        write(second.hash(number), text, 1 + DIGITS_OF_LONG);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static void write(long bits, byte[] text, int from) {
        long rest = bits;
        for (int i = from; i < from + DIGITS_OF_LONG; i++) {
            text[i] = DIGITS[(int) (rest & 63)];
            rest >>>= 6;
        }
    }

    /** The number of an acquisition of this instance, or -1 if the id is not of this instance. */
    long number(String acquisition) {
        int end = acquisition.lastIndexOf('.');
        int start = acquisition.indexOf('.') + 1;
        if (!acquisition.startsWith(publicPart) || end <= start) {
            return -1;
        }
        try {
            long number = Long.parseLong(acquisition.substring(start, end), Character.MAX_RADIX);
            return acquisition(number).equals(acquisition) ? number : -1;
        } catch (NumberFormatException ex) {
            return -1;
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return publicPart;
    }
}
