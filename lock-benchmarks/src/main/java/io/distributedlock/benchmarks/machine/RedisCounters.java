/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import io.distributedlock.testing.EmbeddedRedis;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The sums of the counters of all servers. */
public final class RedisCounters implements AutoCloseable {

    /** Longer than any contender keeps a lock that none of its callers holds. */
    private static final long LONGEST_KEPT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final List<ServerCounters> masters;

    private final List<ServerCounters> all;

    RedisCounters(List<EmbeddedRedis> masters, List<EmbeddedRedis> replicas) {
        this.masters = masters.stream().map(ServerCounters::new).toList();
        this.all = Stream.concat(this.masters.stream(), replicas.stream().map(ServerCounters::new))
                .toList();
    }

    /**
     * @param scripts scripts that clients have run; they contain all other commands of a lock except {@code others}
     * @param others commands to subscribe, to unsubscribe, and to wait for replicas
     * @param deletes DEL, by clients or inside scripts
     * @param cpuNanos CPU time of the server processes
     * @param busMessages messages of channels that servers of a cluster have sent to other shards
     */
    public record Reading(
            long scripts,
            long others,
            long deletes,
            double cpuNanos,
            long bytesIn,
            long bytesOut,
            long busMessages,
            long at) {

        private Reading plus(Reading other) {
            return new Reading(
                    scripts + other.scripts,
                    others + other.others,
                    deletes + other.deletes,
                    cpuNanos + other.cpuNanos,
                    bytesIn + other.bytesIn,
                    bytesOut + other.bytesOut,
                    busMessages + other.busMessages,
                    at);
        }
    }

    /**
     * Waits until no lock is held, deletes all keys that are left, and counts from now on. A lease that an instance
     * keeps for its next caller must not be flushed: the instance would go on with the lease while another instance
     * acquires the lock. This would be reported as a violation, although the lock is correct.
     */
    public void reset() {
        long start = System.nanoTime();
        while (keys() > 0 && System.nanoTime() - start < LONGEST_KEPT_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        masters.forEach(ServerCounters::flush);
        all.forEach(ServerCounters::reset);
    }

    public Reading read() {
        return all.stream().map(ServerCounters::read).reduce(Reading::plus).orElseThrow();
    }

    public long keys() {
        return masters.stream().mapToLong(ServerCounters::keys).sum();
    }

    public String redisVersion() {
        return masters.get(0).version();
    }

    @Override
    public void close() {
        all.forEach(ServerCounters::close);
    }
}
