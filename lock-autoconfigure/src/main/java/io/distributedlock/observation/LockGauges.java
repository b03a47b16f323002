/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockMonitor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Shows how many locks this instance holds as {@code distributed.lock.held}, and how many of its calls wait for one as
 * {@code distributed.lock.waiting}. Both are counted when the registry asks.
 */
public final class LockGauges {

    public LockGauges(MeterRegistry registry, LockMonitor monitor) {
        Gauge.builder(
                        "distributed.lock.held",
                        monitor,
                        from -> from.activity().held().size())
                .description("Locks that this instance holds")
                .register(registry);
        Gauge.builder(
                        "distributed.lock.waiting",
                        monitor,
                        from -> from.activity().waiting().size())
                .description("Calls of this instance that wait for a lock")
                .register(registry);
    }
}
