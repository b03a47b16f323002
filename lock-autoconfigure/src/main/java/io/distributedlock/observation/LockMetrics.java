/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockOrigin;
import io.distributedlock.ServerClockSetBackEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Measures how long callers wait for locks ({@code distributed.lock.wait}) and hold them
 * ({@code distributed.lock.hold}), and counts lost holds ({@code distributed.lock.lost}), commands to Redis, renewals,
 * and how often the clock of Redis was observed to be set back. The tag {@code lock} is the label of the request's
 * origin and never a key. After {@value #MAX_LABELS} labels, further ones count as {@code other}, so the number of
 * series is bounded whatever labels an application uses.
 *
 * @since 0.1.0
 */
public final class LockMetrics implements LockListener {

    static final int MAX_LABELS = 1_000;

    private static final String OTHER = "other";

    private final MeterRegistry registry;

    private final Map<String, LabelMeters> byLabel = new ConcurrentHashMap<>();

    private final StoreMeters store;

    private final Counter setBack;

    private final Counter deadlocks;

    /**
     * Registers the meters that have no label; the others are registered when a request with a new label arrives.
     *
     * @param registry the registry
     */
    public LockMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.store = new StoreMeters(registry);
        deadlocks = Counter.builder("distributed.lock.deadlocks")
                .description("How often callers were found that waited for each other")
                .register(registry);
        setBack = Counter.builder("distributed.lock.server.clock.set.back")
                .description("How often the clock of Redis was found to be set back")
                .register(registry);
    }

    @Override
    public Attempt requested(String lockName, LockOrigin origin) {
        return meters(origin);
    }

    @Override
    public void reentered(String lockName, LockOrigin origin) {
        meters(origin).reentered();
    }

    @Override
    public void lost(String lockName, LockOrigin origin, Loss loss) {
        meters(origin).lost(loss);
    }

    private LabelMeters meters(LockOrigin origin) {
        LabelMeters known = byLabel.get(origin.label());
        if (known != null) {
            return known;
        }
        String label = byLabel.size() < MAX_LABELS ? origin.label() : OTHER;
        return byLabel.computeIfAbsent(label, added -> new LabelMeters(registry, added));
    }

    @Override
    public void commandCompleted(Command command, CommandOutcome outcome, long nanos) {
        store.commandCompleted(command, outcome, nanos);
    }

    @Override
    public void renewed(Renewal result) {
        store.renewed(result);
    }

    /** First, since a listener that fails ends the delivery of an event. */
    @EventListener
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void deadlock(LockDeadlockEvent event) {
        deadlocks.increment();
    }

    @EventListener
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void setBack(ServerClockSetBackEvent event) {
        setBack.increment();
    }
}
