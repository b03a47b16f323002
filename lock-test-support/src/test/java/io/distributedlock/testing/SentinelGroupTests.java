/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag(TestLength.FULL)
class SentinelGroupTests {

    @Test
    void failsOverByCommandAndAfterADeath() {
        try (SentinelGroup group = SentinelGroup.start(2)) {
            RedisNode first = group.master();
            assertThat(first).isSameAs(group.servers().get(0));
            group.failover();
            RedisNode second = group.awaitSwitchFrom(first);
            group.awaitAgreement();
            assertThat(second.isMaster()).isTrue();
            second.kill();
            assertThat(group.awaitSwitchFrom(second).isAlive()).isTrue();
        }
    }

    @Test
    void patientSentinelsKeepASilentMaster() {
        try (SentinelGroup group = SentinelGroup.start(1)) {
            RedisNode first = group.master();
            group.setPatience(Duration.ofMinutes(10));
            first.freeze();
            assertThat(Waiting.within(Duration.ofSeconds(4), () -> group.master() != first))
                    .isFalse();
            group.setPatience(Duration.ofSeconds(1));
            assertThat(group.awaitSwitchFrom(first).isMaster()).isTrue();
        }
    }
}
