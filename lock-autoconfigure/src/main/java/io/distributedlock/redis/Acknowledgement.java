/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.NanoClock;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/** How many replicas have to confirm each grant and each renewal, and within which time. */
record Acknowledgement(int replicas, Duration timeout) {

    /**
     * @param renewing creates a store that renews through the given connections
     * @param replyTimeout how long the engine waits for the reply about a lease, both in nanoseconds
     */
    LeaseStore of(
            LeaseStore store,
            RedisConnections connections,
            LockKeys keys,
            Function<RedisConnections, LeaseStore> renewing,
            LongUnaryOperator replyTimeout) {
        return new AcknowledgedLeaseStore(
                store,
                new ConfirmationTimeout(NanoClock.SYSTEM, replyTimeout, replicas),
                connections instanceof ClusterConnections cluster
                        ? new ClusterAcknowledgement(cluster, keys, connection -> renewal(connection, renewing))
                        : renewal(onlyServer((SingleServerConnections) connections), renewing));
    }

    private AcknowledgementConnection onlyServer(SingleServerConnections connections) {
        connections.acknowledgedBy(replicas);
        return new AcknowledgementConnection(connections);
    }

    private AcknowledgedRenewal renewal(
            AcknowledgementConnection connection, Function<RedisConnections, LeaseStore> renewing) {
        return new AcknowledgedRenewal(
                new AcknowledgingMaster(connection, renewing.apply(connection), timeout.toMillis()), replicas);
    }
}
