/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.CommandOutcome;
import io.distributedlock.LockListener.Renewal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The meters of commands to Redis, {@code distributed.lock.command}, and of renewals,
 * {@code distributed.lock.renewals}.
 */
final class StoreMeters {

    private final Map<Command, LabelMeters.ByTag<CommandOutcome, Timer>> commands = new EnumMap<>(Command.class);

    private final LabelMeters.ByTag<Renewal, Counter> renewals;

    StoreMeters(MeterRegistry registry) {
        for (Command command : Command.values()) {
            commands.put(
                    command,
                    new LabelMeters.ByTag<>(
                            CommandOutcome.values().length, outcome -> timer(registry, command, outcome)));
        }
        renewals = new LabelMeters.ByTag<>(Renewal.values().length, result -> counter(registry, result));
    }

    private static Timer timer(MeterRegistry registry, Command command, CommandOutcome outcome) {
        return Timer.builder("distributed.lock.command")
                .description("Time from sending a command to Redis to its reply")
                .tag("command", command.value())
                .tag("result", outcome.value())
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, Renewal result) {
        return Counter.builder("distributed.lock.renewals")
                .description("Renewals of leases")
                .tag("result", result.value())
                .register(registry);
    }

    void commandCompleted(Command command, CommandOutcome outcome, long nanos) {
        LabelMeters.ByTag<CommandOutcome, Timer> timers = commands.get(command);
        if (timers != null) {
            timers.get(outcome).record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    void renewed(Renewal result) {
        renewals.get(result).increment();
    }
}
