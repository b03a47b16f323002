/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Shows the number of locks that this instance holds as {@code distributed.lock.held}, the number of its calls that
 * wait for one as {@code distributed.lock.waiting}, the longest of these waits as
 * {@code distributed.lock.waiting.oldest}, and the state of the connections, 1 or 0, as
 * {@code distributed.lock.connected} and {@code distributed.lock.subscribed}. All are determined when the registry
 * reads them.
 */
public final class LockGauges {

    /**
     * Registers the gauges.
     *
     * @param registry the registry
     * @param monitor the locks of this instance, read at each reading of a gauge
     */
    public LockGauges(MeterRegistry registry, LockMonitor monitor) {
        register(
                registry,
                monitor,
                "held",
                "Locks that this instance holds",
                now -> now.held().size());
        register(
                registry,
                monitor,
                "waiting",
                "Calls of this instance that wait for a lock",
                now -> now.waiting().size());
        register(registry, monitor, "connected", "Whether commands reach Redis", now -> now.connected() ? 1 : 0);
        register(
                registry,
                monitor,
                "subscribed",
                "Whether messages of other instances arrive",
                now -> now.subscribed() ? 1 : 0);
        TimeGauge.builder("distributed.lock.waiting.oldest", monitor, TimeUnit.NANOSECONDS, LockGauges::oldestWait)
                .description("The longest time that a call of this instance has been waiting for a lock until now")
                .register(registry);
    }

    private static void register(
            MeterRegistry registry,
            LockMonitor monitor,
            String name,
            String description,
            ToDoubleFunction<LockActivity> value) {
        Gauge.builder("distributed.lock." + name, monitor, from -> value.applyAsDouble(from.activity()))
                .description(description)
                .register(registry);
    }

    private static double oldestWait(LockMonitor monitor) {
        return monitor.activity().waiting().stream()
                .map(LockActivity.Waiting::waitedFor)
                .max(Comparator.naturalOrder())
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
