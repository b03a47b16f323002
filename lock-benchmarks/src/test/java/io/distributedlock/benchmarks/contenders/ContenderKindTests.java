/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.benchmarks.machine.RedisServers;
import io.distributedlock.benchmarks.machine.Topology;
import org.junit.jupiter.api.Test;

class ContenderKindTests {

    @Test
    void onlyTheAcknowledgedGrantIsConfirmedByTheReplica() throws Exception {
        try (RedisServers servers = RedisServers.start(Topology.REPLICATED)) {
            assertThat(commands(ContenderKind.OURS_REPLICATED, servers)).isEqualTo(new Commands(2, 0));
            // The confirmation renews the lease on the connection that waits for the replica.
            assertThat(commands(ContenderKind.OURS_ACKNOWLEDGED, servers)).isEqualTo(new Commands(3, 1));
        }
    }

    private record Commands(long scripts, long others) {}

    /** The commands of one cycle, after a first cycle that opens the connections. */
    private static Commands commands(ContenderKind kind, RedisServers servers) throws Exception {
        assertThat(kind.topology()).isEqualTo(Topology.REPLICATED);
        try (Contender contender = kind.open(servers.port())) {
            contender.run("name", () -> {});
            Reading before = servers.counters().read();
            contender.run("name", () -> {});
            Reading after = servers.counters().read();
            return new Commands(after.scripts() - before.scripts(), after.others() - before.others());
        }
    }
}
