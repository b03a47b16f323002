/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.testing.RedisCluster;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Connections to single servers, of which one may have left the cluster a moment ago. */
class ClusterNodesTests {

    private static void assertNotExecuted(CompletableFuture<?> connection) {
        assertThat(connection).isCompletedExceptionally();
        assertThatThrownBy(connection::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        LeaseStoreException.class,
                        failure -> assertThat(failure.effect()).isEqualTo(Effect.NOT_EXECUTED));
    }

    @Test
    void aServerThatHasLeftTheClusterFailsTheFutureAndNotTheCaller() {
        try (RedisCluster cluster = RedisCluster.start(3, 0, Duration.ofSeconds(15));
                RedisClusterClient client = RedisClusterClient.create(
                        StandaloneServer.resources(),
                        RedisURI.create("redis://" + cluster.addresses().get(0)));
                StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            assertNotExecuted(ClusterNodes.connection(() -> connection.getConnectionAsync("0".repeat(40))));
        }
    }

    @Test
    void aFailureWithoutAMessageIsNamed() {
        assertThatThrownBy(
                        ClusterNodes.connection(() -> CompletableFuture.failedFuture(new ClosedChannelException()))
                                ::join)
                .hasRootCauseInstanceOf(ClosedChannelException.class)
                .cause()
                .hasMessage("ClosedChannelException");
    }

    @Test
    void aServerThatCannotBeReachedHasExecutedNothing() {
        assertNotExecuted(ClusterNodes.connection(
                () -> CompletableFuture.failedFuture(new RedisException("Unable to connect to 127.0.0.1:1"))));
    }
}
