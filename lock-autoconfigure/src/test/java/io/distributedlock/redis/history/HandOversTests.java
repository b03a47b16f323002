/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandOversTests {

    private static final long MILLI = 1_000_000;

    @Test
    void quantilesAreKnownToAnEighth() {
        HandOvers odd = new HandOvers();
        HandOvers all = new HandOvers();
        for (int i = 1; i <= 1_000; i++) {
            (i % 2 == 0 ? all : odd).add(i * MILLI);
        }
        all.add(odd);
        assertThat(all.count()).isEqualTo(1_000);
        assertThat(all.quantile(0.5)).isBetween(Duration.ofMillis(500), Duration.ofMillis(565));
        assertThat(all.quantile(0.99)).isBetween(Duration.ofMillis(990), Duration.ofMillis(1_000));
        assertThat(all.longest()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void noRecordsHaveNoHandOvers() {
        assertThat(new HandOvers().quantile(0.99)).isZero();
    }
}
