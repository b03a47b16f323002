/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.engine.EngineState;
import io.distributedlock.engine.LockEngine;
import java.time.Duration;
import java.util.Objects;
import org.springframework.test.util.ReflectionTestUtils;

/** A look into the engine of a template. */
final class Engines {

    private Engines() {}

    static EngineState stateOf(RedisLockTemplate template) {
        Object instance = Objects.requireNonNull(ReflectionTestUtils.getField(template, "instance"));
        return EngineState.of((LockEngine) Objects.requireNonNull(ReflectionTestUtils.getField(instance, "engine")));
    }

    /** Waits until it has no lock in use and no timer. */
    static void awaitEmpty(RedisLockTemplate template, Duration limit) {
        await().atMost(limit)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(stateOf(template)).isEqualTo(EngineState.EMPTY));
    }
}
