/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.engine.EngineState;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.testing.Noise;
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

    /**
     * Waits until it has no lock in use and no timer.
     *
     * @param limit what it may take on a machine without noise
     */
    static void awaitEmpty(RedisLockTemplate template, Duration limit) {
        Stopwatch watch = Stopwatch.start();
        await().pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(stateOf(template)).isEqualTo(EngineState.EMPTY));
        assertThat(watch.elapsed()).as("until the engine is empty").isLessThan(limit.plus(Noise.now()));
    }
}
