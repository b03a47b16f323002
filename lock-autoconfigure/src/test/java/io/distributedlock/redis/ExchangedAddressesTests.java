/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.testing.ClusterNode;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TcpProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;

/** Two masters of a cluster exchange their addresses, as containers that start again may. */
class ExchangedAddressesTests {

    private static final Duration LONG = Duration.ofSeconds(60);

    @BeforeAll
    static void warmUpThisJvm() {
        Templates.warmUpThisJvm();
    }

    /** The connections are open again before the instance knows the new addresses. */
    @Test
    void theChannelOfEachMasterIsSubscribedAtItsNewAddress() {
        try (RedisCluster cluster = RedisCluster.start(2, 0, Duration.ofSeconds(60));
                TcpProxy first = TcpProxy.to(cluster.nodes().get(0).port());
                TcpProxy second = TcpProxy.to(cluster.nodes().get(1).port());
                Templates templates = new Templates()) {
            List<ClusterNode> nodes = cluster.nodes();
            announce(nodes, first, second);
            RedisLockTemplate locks = templates.on(
                    StandaloneServer.connectionFactory(new RedisClusterConfiguration(
                            List.of("127.0.0.1:" + first.port(), "127.0.0.1:" + second.port()))),
                    Templates.PATIENT);
            Templates.warmUp(locks);
            await().atMost(LONG).until(() -> nodes.stream().allMatch(ExchangedAddressesTests::hasChannel));

            first.leadTo(nodes.get(1).port());
            second.leadTo(nodes.get(0).port());
            first.cut();
            second.cut();
            await().atMost(LONG).until(() -> nodes.stream().allMatch(ExchangedAddressesTests::hasRefusedAChannel));
            assertThat(nodes).noneMatch(ExchangedAddressesTests::hasChannel);
            announce(nodes, second, first);

            await().atMost(LONG).until(() -> nodes.stream().allMatch(ExchangedAddressesTests::hasChannel));
        }
    }

    private static void announce(List<ClusterNode> nodes, TcpProxy... addresses) {
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).text("CONFIG", "SET", "cluster-announce-port", Integer.toString(addresses[i].port()));
        }
        await().atMost(LONG)
                .until(() -> nodes.stream().allMatch(node -> {
                    String rows = node.text("CLUSTER", "NODES");
                    return knows(rows, nodes.get(0), addresses[0]) && knows(rows, nodes.get(1), addresses[1]);
                }));
    }

    private static boolean knows(String rows, ClusterNode node, TcpProxy address) {
        return rows.lines().anyMatch(row -> row.startsWith(node.id()) && row.contains(":" + address.port() + "@"));
    }

    private static boolean hasChannel(ClusterNode node) {
        return !node.list("PUBSUB", "SHARDCHANNELS").isEmpty();
    }

    private static boolean hasRefusedAChannel(ClusterNode node) {
        return node.text("INFO", "commandstats")
                .lines()
                .anyMatch(line -> line.startsWith("cmdstat_ssubscribe:") && !line.contains("rejected_calls=0"));
    }
}
