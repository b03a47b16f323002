/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockActivity;
import io.distributedlock.LockOrigin;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockGaugesTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double gauge(String name, LockActivity activity) {
        registry.clear();
        new LockGauges(registry, () -> activity);
        return registry.get("distributed.lock." + name).gauge().value();
    }

    private static LockActivity activity(boolean connected, boolean subscribed, long... waitedSeconds) {
        List<LockActivity.Waiting> waiting = LongStream.of(waitedSeconds)
                .mapToObj(seconds -> new LockActivity.Waiting(
                        "order", "exec-1", Duration.ofSeconds(seconds), null, null, LockOrigin.NONE, null))
                .toList();
        return new LockActivity("here", connected, subscribed, List.of(), waiting);
    }

    @Test
    void eachConnectionHasItsOwnState() {
        assertThat(gauge("connected", activity(true, false))).isOne();
        assertThat(gauge("subscribed", activity(true, false))).isZero();
        assertThat(gauge("connected", activity(false, true))).isZero();
        assertThat(gauge("subscribed", activity(false, true))).isOne();
    }

    @Test
    void theOldestWaitIsTheLongest() {
        assertThat(gauge("waiting", activity(true, true, 1, 7, 3))).isEqualTo(3);
        assertThat(gauge("waiting.oldest", activity(true, true, 1, 7, 3))).isEqualTo(7);
        assertThat(gauge("waiting.oldest", activity(true, true))).isZero();
    }

    /** A second context shares the registry, and ends before the first one. */
    @ParameterizedTest
    @ValueSource(strings = {"", "app."})
    void areRemovedByTheirOwnerOnly(String prefix) {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.withName(prefix + id.getName());
            }
        });
        LockGauges first = new LockGauges(registry, () -> activity(true, true, 7));
        List<Meter> registered = registry.getMeters();
        assertThat(registered).isNotEmpty();

        new LockGauges(registry, () -> activity(true, true)).close();
        assertThat(registry.getMeters()).containsExactlyInAnyOrderElementsOf(registered);
        assertThat(registry.get(prefix + "distributed.lock.waiting").gauge().value())
                .isOne();

        first.close();
        assertThat(registry.getMeters()).isEmpty();
    }
}
