/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.Noise;
import io.distributedlock.testing.ReachableHeap;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An instance in a cluster of twelve masters. */
@Tag(TestLength.FULL)
class LargeClusterTests {

    private static final int MASTERS = 12;

    private static final int NAMES = 10_000;

    private static final int BATCH = 500;

    /** One megabyte more than on one server. */
    private static final long MOST_BYTES = 1_300_000;

    private static final int TRIES = 3;

    private static final Duration START = Duration.ofSeconds(3);

    /** The heap takes its time to settle. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theStartIsFastAndEachMasterCostsTwoConnectionsAndLittleMemory() {
        try (ClusterServer server = new ClusterServer(RedisCluster.start(MASTERS, 0, Duration.ofSeconds(60)));
                Templates templates = new Templates()) {
            RedisLockTemplate other = templates.on(server.newConnectionFactory());
            acquireAll(other).forEach(LockHandle::close);

            long began = System.nanoTime();
            RedisLockTemplate locks = templates.on(server.newConnectionFactory());
            locks.acquire(leased("first", 60_000).waitUpTo(Duration.ofSeconds(60)))
                    .close();
            Duration took = Duration.ofNanos(System.nanoTime() - began).minus(Noise.longestSince(began));
            System.out.println("Start on " + MASTERS + " masters until the first hold: " + took.toMillis() + " ms");
            assertThat(took).isLessThan(START);

            List<LockHandle> held = acquireAll(locks);
            String name = "name=lock:" + locks.activity().instance();
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                List<Long> connections = server.cluster().masters().stream()
                        .map(node -> connections(node, name))
                        .toList();
                assertThat(connections).hasSize(MASTERS).allMatch(count -> count >= 2);
                // Lettuce has one more of each kind, to any servers.
                assertThat(connections.stream().mapToLong(Long::longValue).sum())
                        .isLessThanOrEqualTo(2 * MASTERS + 2);
            });
            assertThat(held).hasSize(NAMES).allMatch(LockHandle::isHeld);
            held.forEach(LockHandle::close);

            // All clients share blocks of 4 MB, so one of the instances may be charged for a block.
            long taken = heapOfOneMore(server, templates);
            for (int i = 1; i < TRIES && taken >= MOST_BYTES; i++) {
                taken = heapOfOneMore(server, templates);
            }
            assertThat(taken).isLessThan(MOST_BYTES);
        }
    }

    private static long heapOfOneMore(ClusterServer server, Templates templates) {
        long before = ReachableHeap.settledBytes();
        RedisLockTemplate locks = templates.on(server.newConnectionFactory());
        acquireAll(locks).forEach(LockHandle::close);
        long taken = ReachableHeap.settledBytes() - before;
        System.out.println("Heap of an instance on " + MASTERS + " masters: " + taken + " bytes");
        return taken;
    }

    private static List<LockHandle> acquireAll(RedisLockTemplate locks) {
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < NAMES; i += BATCH) {
            List<CompletableFuture<LockHandle>> batch = new ArrayList<>();
            for (int n = i; n < i + BATCH; n++) {
                batch.add(locks.acquireAsync(leased("name-" + n, 60_000).waitUpTo(Duration.ofSeconds(60)))
                        .toCompletableFuture());
            }
            batch.forEach(each -> held.add(each.join()));
        }
        return held;
    }

    private static long connections(ClusterNode node, String name) {
        return node.text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains(name))
                .count();
    }
}
