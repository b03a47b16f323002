/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.List;

/**
 * A row of CLUSTER NODES.
 *
 * @param master the id of the master of a replica, or "-"
 * @param epoch the configuration epoch: of two claims of a slot, the one with the higher epoch counts
 * @param slots ranges such as {@code 0-5460}, and slots that are moving, such as {@code [93->-id]}
 */
record ClusterRow(String id, List<String> flags, String master, long epoch, boolean linked, List<String> slots) {

    static ClusterRow parse(String line) {
        String[] words = line.split(" ");
        return new ClusterRow(
                words[0],
                List.of(words[2].split(",")),
                words[3],
                Long.parseLong(words[6]),
                words[7].equals("connected"),
                List.of(words).subList(8, words.length));
    }

    /** Whether it is about the server that has been asked. */
    boolean isOwn() {
        return flags.contains("myself");
    }

    boolean isMaster() {
        return flags.contains("master");
    }

    boolean isFailing() {
        return flags.contains("fail") || flags.contains("fail?");
    }

    boolean isHandshake() {
        return flags.contains("handshake") || flags.contains("noaddr");
    }

    boolean hasMovingSlots() {
        return slots.stream().anyMatch(slot -> slot.startsWith("["));
    }

    boolean has(int slot) {
        return slots.stream().filter(range -> !range.startsWith("[")).anyMatch(range -> {
            String[] ends = range.split("-", -1);
            return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
        });
    }
}
