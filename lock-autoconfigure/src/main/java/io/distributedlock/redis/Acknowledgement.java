/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import java.time.Duration;
import java.util.function.Function;

/** How many replicas have to confirm each grant and each renewal, and within which time. */
record Acknowledgement(int replicas, Duration timeout) {

    /** @param renewing creates a store that renews through the given connections */
    LeaseStore of(
            LeaseStore store,
            RedisConnections connections,
            LockKeys keys,
            Function<RedisConnections, LeaseStore> renewing) {
        return new AcknowledgedLeaseStore(
                store,
                connections instanceof ClusterConnections cluster
                        ? new ClusterAcknowledgement(cluster, keys, connection -> renewal(connection, renewing))
                        : renewal(new AcknowledgementConnection((LockConnections) connections), renewing));
    }

    private AcknowledgedRenewal renewal(
            AcknowledgementConnection connection, Function<RedisConnections, LeaseStore> renewing) {
        return new AcknowledgedRenewal(
                new AcknowledgingMaster(connection, renewing.apply(connection), timeout.toMillis()), replicas);
    }
}
