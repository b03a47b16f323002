/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static io.distributedlock.redis.Templates.leased;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two servers that redirect to each other. */
class ClusterStormTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final int CALLERS = 16;

    private static final Duration MEASURED = Duration.ofSeconds(3);

    /** Another client sent 30 000 commands a second then. */
    private static final int MOST_COMMANDS_IN_A_SECOND = 30;

    @Test
    void callersOfALockThatNoServerAdmitsToHaveSendFewCommands() {
        try (RedisCluster cluster = RedisCluster.start(2, 0, Duration.ofSeconds(60));
                Templates templates = new Templates();
                TestCallers callers = new TestCallers();
                ClusterServer server = new ClusterServer(cluster)) {
            RedisLockTemplate locks = templates.on(server.newConnectionFactory());
            Templates.warmUp(locks);
            ClusterNode one = cluster.masterOf("lock:{storm}");
            ClusterNode two = cluster.masters().stream()
                    .filter(node -> node != one)
                    .findFirst()
                    .orElseThrow();
            String slot = Integer.toString(cluster.slotOf("lock:{storm}"));
            // Each believes the other one to have the slot, and neither tells the other one that it has it.
            one.text("CLUSTER", "SETSLOT", slot, "NODE", two.id());

            List<TestCallers.Call<Boolean>> calls = IntStream.range(0, CALLERS)
                    .mapToObj(i -> callers.call(() -> {
                        locks.acquire(leased("storm", 20_000).waitUpTo(LONG)).close();
                        return true;
                    }))
                    .toList();
            await().atMost(LONG).until(() -> moved(one) + moved(two) > 0);
            Stopwatch watch = Stopwatch.start();
            long before = moved(one) + moved(two);
            HoldAssertions.assertAllTheTime(MEASURED, () -> assertThat(calls).noneMatch(TestCallers.Call::isDone));
            long commands = moved(one) + moved(two) - before;
            long perSecond = commands * 1_000 / watch.elapsed().toMillis();
            System.out.println("While two servers redirect to each other: " + perSecond + " commands a second");
            assertThat(perSecond).isBetween(1L, (long) MOST_COMMANDS_IN_A_SECOND);

            one.text("CLUSTER", "SETSLOT", slot, "NODE", one.id());
            assertThat(calls).allMatch(TestCallers.Call::get);
        }
    }

    private static long moved(ClusterNode node) {
        return node.text("INFO", "errorstats")
                .lines()
                .filter(line -> line.startsWith("errorstat_MOVED:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
                .sum();
    }
}
