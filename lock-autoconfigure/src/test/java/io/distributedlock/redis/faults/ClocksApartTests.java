/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockTemplate;
import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A free lock that moves between servers whose clocks are apart, and is taken by two instances in turn. */
@Tag(TestLength.FULL)
class ClocksApartTests {

    private static final int MOVES = TestLength.of("clocks.moves", 10, 1_000);

    private static final String NAME = "moving";

    private static final Duration SEVERAL_REQUESTS = Duration.ofSeconds(4);

    private static final LockRequest REQUEST = LockRequest.of(NAME).waitUpTo(Duration.ofSeconds(60));

    private final ListAppender<ILoggingEvent> logs = new ListAppender<>();

    private record Instance(InstanceNetwork network, LettuceConnectionFactory factory, RedisLockTemplate locks)
            implements AutoCloseable {

        static Instance of(RedisCluster cluster, ServerClocks clocks) {
            List<Integer> ports =
                    cluster.nodes().stream().map(ClusterNode::port).toList();
            InstanceNetwork network = new InstanceNetwork("", ports, clocks::editor, renewal -> {});
            LettuceConnectionFactory factory = new InstanceConnection(
                            InstanceConnection.Topology.CLUSTER, ports, network.ports())
                    .connectionFactory(renewal -> {});
            RedisLockTemplate locks = new RedisLockTemplate(factory, FaultTestbed.PREFIX, EngineSettings.DEFAULTS);
            locks.start();
            return new Instance(network, factory, locks);
        }

        long acquireOnce() {
            try (LockHandle handle = locks.acquire(REQUEST)) {
                return handle.fencingToken();
            }
        }

        @Override
        public void close() {
            locks.close();
            factory.destroy();
            network.close();
        }
    }

    @Test
    void tokensGrowThoughEachServerHasAnotherTime() {
        ServerClocks clocks = new ServerClocks();
        Logger logger = (Logger) LoggerFactory.getLogger("io.distributedlock.redis.ClusterClocks");
        logs.start();
        logger.addAppender(logs);
        try (RedisCluster cluster = RedisCluster.start(3, 0, Duration.ofSeconds(60))) {
            List<ClusterNode> masters = cluster.masters();
            clocks.setAhead(masters.get(1).port(), Duration.ofMillis(50));
            clocks.setAhead(masters.get(2).port(), Duration.ofSeconds(5));
            try (Instance one = Instance.of(cluster, clocks);
                    Instance two = Instance.of(cluster, clocks)) {
                int slot = cluster.slotOf(ClusterTarget.key(NAME));
                // An instance knows a clock within the shortest time of a request for it, one of which is sent each
                // second. On a busy machine, the first may take longer than a slot takes to move.
                long last = Math.max(one.acquireOnce(), two.acquireOnce());
                for (long end = System.nanoTime() + SEVERAL_REQUESTS.toNanos(); System.nanoTime() - end < 0; ) {
                    long token = one.acquireOnce();
                    assertThat(token).isGreaterThan(last);
                    last = token;
                }
                for (int i = 0; i < MOVES; i++) {
                    long token = (i % 2 == 0 ? one : two).acquireOnce();
                    assertThat(token).as("token after %d moves", i).isGreaterThan(last);
                    last = token;
                    int next = (masters.indexOf(cluster.masterOf(slot)) + 1 + i % 2) % masters.size();
                    cluster.move(slot, masters.get(next)).begin().finish();
                }
                // The slot moves to and fro between two servers, and of two at least one has another clock.
                assertThat(clocks.edits(masters.get(1).port())
                                + clocks.edits(masters.get(2).port()))
                        .isPositive();
                await().untilAsserted(() -> assertThat(logs.list)
                        .anySatisfy(line -> assertThat(line.getFormattedMessage())
                                .contains(
                                        "clocks of the Redis Cluster are apart",
                                        masters.get(2).id())));
            }
        } finally {
            logger.detachAppender(logs);
        }
    }
}
