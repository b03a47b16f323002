/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Which master has which slot, by the latest topology of Lettuce. */
final class ClusterView {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RedisClusterClient client;

    /** The master of each slot at the last call of {@link #changes}. */
    @GuardedBy("this")
    private final @Nullable String[] known = new String[SlotHash.SLOT_COUNT];

    /** The slots that {@link #changes} has returned in this second. */
    @GuardedBy("this")
    private final BitSet returned = new BitSet();

    @GuardedBy("this")
    private long secondBegan;

    ClusterView(RedisClusterClient client) {
        this.client = client;
    }

    /** The id of the master that has the slot; null if no server has it. */
    @Nullable
    String masterOf(int slot) {
        RedisClusterNode node = client.getPartitions().getMasterBySlot(slot);
        return node == null ? null : node.getNodeId();
    }

    /** The server with that id; null if it has left the cluster. */
    @Nullable
    RedisClusterNode node(String id) {
        return client.getPartitions().getPartitionByNodeId(id);
    }

    /** All masters that have slots. */
    List<RedisClusterNode> masters() {
        List<RedisClusterNode> masters = new ArrayList<>();
        for (RedisClusterNode node : client.getPartitions()) {
            if (node.is(NodeFlag.UPSTREAM) && !node.hasNoSlots()) {
                masters.add(node);
            }
        }
        return masters;
    }

    /** The addresses of all other servers that have one, such as replicas and former masters. */
    List<RedisURI> others() {
        List<RedisURI> others = new ArrayList<>();
        for (RedisClusterNode node : client.getPartitions()) {
            RedisURI address = node.getUri();
            boolean isOther = !node.is(NodeFlag.UPSTREAM) || node.hasNoSlots();
            if (isOther && address != null && ClockSurvey.isAddress(address.getHost(), address.getPort())) {
                others.add(address);
            }
        }
        return others;
    }

    /**
     * The slots whose master has changed since the last call. A slot that changes more than once in a second is
     * returned once, and again in the next one: two servers that redirect to each other change the topology with each
     * refresh.
     */
    synchronized BitSet changes(long now) {
        if (returned.isEmpty() || now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            returned.clear();
        }
        BitSet changed = new BitSet();
        for (int slot = 0; slot < known.length; slot++) {
            String master = masterOf(slot);
            if (!Objects.equals(known[slot], master) && !returned.get(slot)) {
                known[slot] = master;
                changed.set(slot);
            }
        }
        returned.or(changed);
        return changed;
    }

    /** A slot of that master, from the given one on; -1 if it has none. */
    int slotOf(RedisClusterNode master, int from) {
        for (int i = 0; i < SlotHash.SLOT_COUNT; i++) {
            int slot = (from + i) % SlotHash.SLOT_COUNT;
            if (master.hasSlot(slot) && master.getNodeId().equals(masterOf(slot))) {
                return slot;
            }
        }
        return -1;
    }
}
