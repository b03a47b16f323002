/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * The move of one hash slot from one master to another, step by step: {@link #begin()}, {@link #migrateKeys()},
 * {@link #finish()}. Between begin and finish, the source redirects questions about keys that it does not have (ASK).
 */
public final class SlotMove {

    private static final String TIMEOUT_MILLIS = "10000";

    private final RedisCluster cluster;

    private final int slot;

    private final ClusterNode source;

    private final ClusterNode target;

    SlotMove(RedisCluster cluster, int slot, ClusterNode source, ClusterNode target) {
        this.cluster = cluster;
        this.slot = slot;
        this.source = source;
        this.target = target;
    }

    public int slot() {
        return slot;
    }

    public ClusterNode source() {
        return source;
    }

    public ClusterNode target() {
        return target;
    }

    /**
     * Marks the slot as importing at the target, and then as migrating at the source. Before that, the target has to
     * know the latest epoch of the source: otherwise it takes the slot with a lower one, and gives it back to the
     * source when that is heard, while the source already names the target. No server has the slot then.
     */
    public SlotMove begin() {
        Waiting.until(target + " knows the epoch of " + source, () -> target.epochOf(source) >= source.epochOf(source));
        target.text("CLUSTER", "SETSLOT", text(slot), "IMPORTING", source.id());
        source.text("CLUSTER", "SETSLOT", text(slot), "MIGRATING", target.id());
        return this;
    }

    /** Moves all keys that the source has in the slot at this moment. Returns how many. */
    public int migrateKeys() {
        int moved = 0;
        while (true) {
            List<String> keys = source.list("CLUSTER", "GETKEYSINSLOT", text(slot), "100");
            if (keys.isEmpty()) {
                return moved;
            }
            migrate(keys);
            moved += keys.size();
        }
    }

    /** Moves these keys only. */
    public SlotMove migrate(List<String> keys) {
        List<String> command =
                new ArrayList<>(List.of("MIGRATE", "127.0.0.1", text(target.port()), "", "0", TIMEOUT_MILLIS, "KEYS"));
        command.addAll(keys);
        source.text(command.toArray(String[]::new));
        return this;
    }

    /** Moves what is left, and gives the slot to the target: there first, then at the source and at all others. */
    public void finish() {
        migrateKeys();
        target.text("CLUSTER", "SETSLOT", text(slot), "NODE", target.id());
        source.text("CLUSTER", "SETSLOT", text(slot), "NODE", target.id());
        cluster.alive().stream()
                .filter(node -> node != source && node != target && node.isMaster())
                .forEach(node -> node.text("CLUSTER", "SETSLOT", text(slot), "NODE", target.id()));
    }

    /** Ends the move where it stands: the slot stays at the source. Keys that have moved already are lost to it. */
    public void abandon() {
        source.text("CLUSTER", "SETSLOT", text(slot), "STABLE");
        target.text("CLUSTER", "SETSLOT", text(slot), "STABLE");
    }

    private static String text(int number) {
        return Integer.toString(number);
    }
}
