/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/** Which slots count as moved, by topologies that the test sets. */
class ClusterViewTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final RedisClusterClient client = RedisClusterClient.create(RedisURI.create("127.0.0.1", 1));

    private final ClusterView view = new ClusterView(client);

    @AfterEach
    void close() {
        client.shutdown(0, 5, TimeUnit.SECONDS);
    }

    private void assign(int slot, String master) {
        Partitions partitions = new Partitions();
        partitions.add(node(master, List.of(slot)));
        client.setPartitions(partitions);
    }

    private static RedisClusterNode node(String id, List<Integer> slots) {
        return new RedisClusterNode(
                RedisURI.create("127.0.0.1", 1),
                id,
                true,
                null,
                0,
                0,
                0,
                slots,
                Set.of(RedisClusterNode.NodeFlag.UPSTREAM));
    }

    /** A server that has lost its address stays in the list until an operator removes it. */
    @Test
    void theOtherServersAreThoseWithAnAddress() {
        Partitions partitions = new Partitions();
        partitions.add(node("master", List.of(7)));
        partitions.add(other("replica", RedisURI.create("127.0.0.1", 2)));
        partitions.add(other("without", null));
        RedisURI unknown = RedisURI.create("127.0.0.1", 3);
        unknown.setHost("");
        unknown.setPort(0);
        partitions.add(other("unknown", unknown));
        client.setPartitions(partitions);

        assertThat(view.others()).extracting(RedisURI::getPort).containsExactly(2);
    }

    private static RedisClusterNode other(String id, @Nullable RedisURI address) {
        RedisClusterNode node = node(id, List.of());
        node.setFlags(Set.of(RedisClusterNode.NodeFlag.REPLICA, RedisClusterNode.NodeFlag.NOADDR));
        if (address == null) {
            ReflectionTestUtils.setField(node, "uri", null);
        } else {
            node.setUri(address);
        }
        return node;
    }

    private List<Integer> changes(long now) {
        return view.changes(now).stream().boxed().toList();
    }

    @Test
    void aSlotHasChangedWhenAnotherMasterHasIt() {
        assign(7, "a");
        assertThat(changes(5)).containsExactly(7);
        assertThat(changes(6)).isEmpty();

        assign(7, "b");
        assertThat(changes(5 + SECOND)).containsExactly(7);

        assign(8, "b");
        assertThat(changes(6 + SECOND)).as("another slot at once").containsExactly(8);
        assertThat(changes(5 + 2 * SECOND)).as("no longer has a master").containsExactly(7);
    }

    @Test
    void aSlotThatChangesAllTheTimeIsReturnedOnceASecond() {
        int returned = 0;
        for (int i = 0; i < 100; i++) {
            assign(SlotHash.SLOT_COUNT - 1, i % 2 == 0 ? "a" : "b");
            returned += changes(i * SECOND / 20).size();
        }
        assertThat(returned).isEqualTo(5);
    }
}
