/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class ReconnectDelayTests {

    private final Delay delay = ReconnectDelay.toOneAddress();

    @Test
    void growsToASecond() {
        assertThat(delay.createDelay(0)).isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
        assertThat(delay.createDelay(1)).isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
        assertThat(delay.createDelay(4)).isBetween(Duration.ofMillis(40), Duration.ofMillis(80));
        for (long attempt : new long[] {8, 20, 64, 1_000, Long.MAX_VALUE}) {
            assertThat(delay.createDelay(attempt)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        }
    }

    @Test
    void isNotTheSameForAll() {
        Set<Duration> drawn =
                LongStream.range(0, 100).mapToObj(i -> delay.createDelay(20)).collect(Collectors.toSet());

        assertThat(drawn).hasSizeGreaterThan(10);
    }

    /** Nothing else ends the pause when another server has become the master. */
    @Test
    void isShortIfSentinelsNameTheMaster() {
        assertThat(longest(new RedisSentinelConfiguration("main", Set.of("127.0.0.1:1"))))
                .isLessThanOrEqualTo(Duration.ofMillis(200));
        // Each attempt asks all servers of a list for their role.
        assertThat(longest(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1)))
                .isGreaterThan(Duration.ofMillis(200));
        assertThat(longest(new RedisStandaloneConfiguration("127.0.0.1", 1))).isGreaterThan(Duration.ofMillis(200));
    }

    /** The delay of the connections to these servers, which do not exist. */
    private static Duration longest(RedisConfiguration target) {
        LettuceConnectionFactory application = StandaloneServer.connectionFactory(target);
        LockClientFactory source = new LockClientFactory(application, Duration.ofSeconds(2), new InstanceId());
        try {
            return source.resources().reconnectDelay().createDelay(20);
        } finally {
            source.close();
            application.destroy();
        }
    }
}
