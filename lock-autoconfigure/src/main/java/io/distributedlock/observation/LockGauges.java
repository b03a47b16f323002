/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Shows the number of locks that this instance holds as {@code distributed.lock.held}, the number of its calls that
 * wait for one as {@code distributed.lock.waiting}, the longest of these waits as
 * {@code distributed.lock.waiting.oldest}, and the state of the connections, 1 or 0, as
 * {@code distributed.lock.connected} and {@code distributed.lock.subscribed}. All are determined when the registry
 * reads them.
 *
 * <p>The gauges are removed from the registry when this object is closed: a registry that outlives it would otherwise
 * show an instance that has stopped, and ignore the gauges of the next one. A gauge that the registry already has is
 * neither replaced nor removed.
 *
 * @since 0.1.0
 */
public final class LockGauges implements AutoCloseable {

    private final MeterRegistry registry;

    private final LockMonitor monitor;

    /** The meters of others. A filter may rename a meter, so its name is not known before it is registered. */
    private final Set<Meter> others = Collections.newSetFromMap(new IdentityHashMap<>());

    private final List<Meter> meters = new ArrayList<>();

    /**
     * Registers the gauges.
     *
     * @param registry the registry
     * @param monitor the locks of this instance, read at each reading of a gauge
     */
    public LockGauges(MeterRegistry registry, LockMonitor monitor) {
        this.registry = registry;
        this.monitor = monitor;
        others.addAll(registry.getMeters());
        gauge("held", "Locks that this instance holds", now -> now.held().size());
        gauge(
                "waiting",
                "Calls of this instance that wait for a lock",
                now -> now.waiting().size());
        gauge("connected", "Whether commands reach Redis", now -> now.connected() ? 1 : 0);
        gauge("subscribed", "Whether messages of other instances arrive", now -> now.subscribed() ? 1 : 0);
        add(
                "distributed.lock.waiting.oldest",
                name -> TimeGauge.builder(name, monitor, TimeUnit.NANOSECONDS, LockGauges::oldestWait)
                        .description(
                                "The longest time that a call of this instance has been waiting for a lock until now")
                        .register(registry));
        others.clear();
    }

    private void gauge(String name, String description, ToDoubleFunction<LockActivity> value) {
        add(
                "distributed.lock." + name,
                full -> Gauge.builder(full, monitor, from -> value.applyAsDouble(from.activity()))
                        .description(description)
                        .register(registry));
    }

    private void add(String name, Function<String, Meter> made) {
        if (registry.find(name).meter() != null) {
            return;
        }
        Meter registered = made.apply(name);
        if (!others.contains(registered)) {
            meters.add(registered);
        }
    }

    @Override
    public void close() {
        meters.forEach(registry::remove);
        meters.clear();
    }

    private static double oldestWait(LockMonitor monitor) {
        return monitor.activity().waiting().stream()
                .map(LockActivity.Waiting::waitedFor)
                .max(Comparator.naturalOrder())
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
