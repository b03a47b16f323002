/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReconnectDelayTests {

    private final ReconnectDelay delay = new ReconnectDelay();

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
}
