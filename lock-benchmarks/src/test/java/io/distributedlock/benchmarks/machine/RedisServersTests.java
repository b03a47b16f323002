/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.testing.RespClient;
import org.junit.jupiter.api.Test;

class RedisServersTests {

    @Test
    void countWhatClientsSendAndWhatAllServersReceive() {
        try (RedisServers servers = RedisServers.start(Topology.REPLICATED);
                RespClient client = RespClient.connect(servers.port())) {
            Reading before = servers.counters().read();
            client.call("EVAL", "return redis.call('set', KEYS[1], ARGV[1])", "1", "key", "x".repeat(1_000));
            assertThat(client.number("WAIT", "1", "10000")).isOne();
            Reading after = servers.counters().read();

            assertThat(after.scripts() - before.scripts()).isOne();
            assertThat(after.others() - before.others()).isOne();
            assertThat(after.bytesIn() - before.bytesIn()).isGreaterThan(2_000);
            assertThat(servers.counters().keys()).isOne();

            client.call("DEL", "key");
            servers.counters().reset();
            assertThat(servers.counters().read().scripts()).isZero();
        }
    }
}
