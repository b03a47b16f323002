/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.engine.LeaseStore;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which channel an instance has in each shard, by topologies that the test sets. No server can be reached. */
class ShardMailboxesTests {

    private final RedisClusterClient client = RedisClusterClient.create(RedisURI.create("127.0.0.1", 1));

    private final ClusterView view = new ClusterView(client);

    private final ShardMailboxes mailboxes = new ShardMailboxes(
            view,
            dead(StatefulRedisClusterPubSubConnection.class),
            new InstanceChannelListener(
                    new LockKeys("lock:"),
                    InstanceId.inCluster(),
                    new ServerClockMonitor(System::nanoTime),
                    dead(LeaseStore.Listener.class),
                    message -> true),
            System::nanoTime,
            new ShardMailboxes.Listener() {

                @Override
                public void subscribed(String master, String channel) {}

                @Override
                public void outdated() {}
            });

    @AfterEach
    void close() {
        client.shutdown(0, 5, TimeUnit.SECONDS);
    }

    @SuppressWarnings("unchecked")
    private static <T> T dead(Class<?> type) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) ->
                        CompletableFuture.failedFuture(new IllegalStateException("not connected")));
    }

    private void update(RedisClusterNode... masters) {
        Partitions partitions = new Partitions();
        partitions.addAll(Arrays.asList(masters));
        partitions.updateCache();
        client.setPartitions(partitions);
        mailboxes.update(view.masters());
    }

    /** With the slots from the first one to before the last one. */
    private static RedisClusterNode master(String id, int first, int last) {
        return new RedisClusterNode(
                RedisURI.create("127.0.0.1", 1),
                id,
                true,
                null,
                0,
                0,
                0,
                IntStream.range(first, last).boxed().toList(),
                Set.of(RedisClusterNode.NodeFlag.UPSTREAM));
    }

    /** Otherwise all waiting acquisitions would lose their place. */
    @Test
    void aPromotedReplicaHasTheChannelOfItsMaster() {
        update(master("a", 0, 8_000), master("b", 8_000, 16_384));
        int ofA = mailboxes.mailboxOf(1);
        int ofB = mailboxes.mailboxOf(9_000);

        update(master("replica-of-a", 0, 8_000), master("b", 8_000, 16_384));

        assertThat(List.of(mailboxes.mailboxOf(1), mailboxes.mailboxOf(9_000))).containsExactly(ofA, ofB);
    }

    @Test
    void soItDoesIfNoServerHadTheSlotsMeanwhile() {
        update(master("a", 0, 8_000), master("b", 8_000, 16_384));
        int ofA = mailboxes.mailboxOf(1);
        update(master("b", 8_000, 16_384));
        update(master("b", 8_000, 16_384));

        update(master("replica-of-a", 0, 8_000), master("b", 8_000, 16_384));

        assertThat(mailboxes.mailboxOf(1)).isEqualTo(ofA);
    }

    @Test
    void aMasterKeepsItsChannelWhenItGetsThatOfAnother() {
        update(master("a", 0, 8_000), master("b", 8_000, 16_384));
        int ofB = mailboxes.mailboxOf(9_000);

        update(master("b", 0, 16_384));

        assertThat(mailboxes.mailboxOf(1)).isEqualTo(ofB);
    }
}
