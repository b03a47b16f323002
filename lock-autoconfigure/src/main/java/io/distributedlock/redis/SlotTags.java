/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.cluster.SlotHash;

/** A short text for each hash slot of a Redis Cluster that belongs to that slot. */
final class SlotTags {

    private static final String[] TAGS = new String[SlotHash.SLOT_COUNT];

    static {
        int missing = TAGS.length;
        for (int number = 0; missing > 0; number++) {
            String tag = Integer.toString(number, Character.MAX_RADIX);
            int slot = SlotHash.getSlot(tag);
            if (TAGS[slot] == null) {
                TAGS[slot] = tag;
                missing--;
            }
        }
    }

    private SlotTags() {}

    static String of(int slot) {
        return TAGS[slot];
    }
}
