/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.testing.RedisCluster;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Lettuce looks at the cluster every few seconds, and must not go on with it for an application that has stopped. */
class ClosedClusterClientTests {

    private static boolean looksAgain(RedisClusterClient client) {
        Object scheduler = new DirectFieldAccessor(client).getPropertyValue("topologyRefreshScheduler");
        assertThat(scheduler).isNotNull();
        Object activated = new DirectFieldAccessor(scheduler).getPropertyValue("clusterTopologyRefreshActivated");
        return ((AtomicBoolean) activated).get();
    }

    @Test
    void aLookThatEndsAfterTheCloseBeginsNoOther() throws Exception {
        try (ClusterServer server = new ClusterServer(RedisCluster.start(3, 0, Duration.ofSeconds(15)))) {
            LettuceConnectionFactory application = server.newConnectionFactory();
            LockClientFactory source =
                    new LockClientFactory(application, Duration.ofSeconds(2), InstanceId.inCluster());
            RedisClusterClient client = source.clusterClient();
            client.connect().close();
            assertThat(looksAgain(client)).isTrue();

            source.close();
            client.refreshPartitionsAsync().toCompletableFuture().join();

            assertThat(looksAgain(client)).isFalse();
            application.destroy();
        }
    }
}
