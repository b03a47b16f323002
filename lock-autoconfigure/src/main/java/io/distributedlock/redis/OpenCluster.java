/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import java.util.concurrent.CompletableFuture;

/** What exists once a Redis Cluster was reached. */
record OpenCluster(
        RedisClusterClient client,
        StatefulRedisClusterConnection<String, String> commands,
        StatefulRedisClusterPubSubConnection<String, String> subscriptions,
        ClusterView view,
        ShardMailboxes mailboxes) {

    /** By its address, as for commands with a key: by its id, Lettuce would open one more connection. */
    CompletableFuture<StatefulRedisConnection<String, String>> connectionTo(RedisClusterNode master) {
        RedisURI uri = master.getUri();
        return ClusterNodes.connection(() -> commands.getConnectionAsync(uri.getHost(), uri.getPort()));
    }

    void close() {
        commands.close();
        subscriptions.close();
    }
}
