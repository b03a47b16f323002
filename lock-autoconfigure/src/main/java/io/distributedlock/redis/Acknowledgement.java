/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.NanoClock;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/** How many replicas have to confirm each grant and each renewal, and within which time. */
record Acknowledgement(int replicas, Duration timeout) {

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

    /** Redis may notice the end of the time-out this late. */
    private static final Duration REDIS_TICK = Duration.ofMillis(100);

    /** Redis would wait for ever with a time-out of 0 ms. */
    Acknowledgement {
        if (replicas < 1) {
            throw new IllegalArgumentException("acknowledge must not be negative, but is " + replicas);
        }
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0) {
            throw new IllegalArgumentException("acknowledgeTimeout must be at least 1 ms, but is " + timeout);
        }
    }

    /**
     * The same checks as of the properties.
     *
     * @throws IllegalArgumentException if a number is negative or too small, or if a caller with these settings would
     *     not wait long enough for the confirmations
     */
    static Acknowledgement of(int replicas, Duration timeout, EngineSettings settings) {
        Acknowledgement checked = new Acknowledgement(replicas, timeout);
        if (timeout.compareTo(settings.lease().dividedBy(3)) > 0) {
            throw new IllegalArgumentException("acknowledgeTimeout must be at most a third of the lease of "
                    + settings.lease() + ", but is " + timeout);
        }
        if (timeout.compareTo(settings.commandTimeout().minus(REDIS_TICK)) > 0) {
            throw new IllegalArgumentException("acknowledgeTimeout must be at least 100 ms less than the commandTimeout"
                    + " of " + settings.commandTimeout() + ", but is " + timeout);
        }
        return checked;
    }

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
