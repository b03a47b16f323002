/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockLostEvent;
import io.distributedlock.ServerClockSetBackEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.event.EventListener;

/**
 * Counts lost holds as {@code distributed.lock.lost}, and how often Redis' clock was found to be set back as
 * {@code distributed.lock.server.clock.set.back}. The names of locks are no tags, as there may be any number of them.
 */
public final class LockMetrics {

    private final Counter lost;

    private final Counter setBack;

    public LockMetrics(MeterRegistry registry) {
        lost = Counter.builder("distributed.lock.lost")
                .description("Holds that ended before their holders had released them")
                .register(registry);
        setBack = Counter.builder("distributed.lock.server.clock.set.back")
                .description("How often the clock of Redis was found to be set back")
                .register(registry);
    }

    @EventListener
    void lost(LockLostEvent event) {
        lost.increment();
    }

    @EventListener
    void setBack(ServerClockSetBackEvent event) {
        setBack.increment();
    }
}
