/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distributedlock.LockDeadlockEvent;
import io.distributedlock.LockEvent;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.CommandOutcome;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockOrigin;
import io.distributedlock.ServerClockSetBackEvent;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

class LockMetricsTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final LockMetrics metrics = new LockMetrics(registry);

    private void callOf(String key, LockOrigin origin) {
        Attempt attempt = metrics.requested(key, origin);
        attempt.acquired(Path.FREE, 1_000_000);
        metrics.reentered(key, origin);
        attempt.ended(End.RELEASED, 2_000_000);
        metrics.requested(key, origin).refused(Refusal.BUSY, 3_000_000);
        metrics.lost(key, origin, Loss.EXPIRED);
    }

    @Test
    void theNumberOfSeriesDoesNotGrowWithTheNumberOfKeys() {
        LockOrigin orders = LockOrigin.of("orders");
        callOf("order:0", orders);
        callOf("order:0", LockOrigin.NONE);
        int series = registry.getMeters().size();

        for (int i = 0; i < 100_000; i++) {
            callOf("order:" + i, i % 2 == 0 ? orders : LockOrigin.NONE);
        }

        assertThat(registry.getMeters()).hasSize(series);
        assertThat(registry.getMeters().stream()
                        .flatMap(meter -> meter.getId().getTags().stream())
                        .map(Tag::getValue))
                .noneMatch(value -> value.contains("order:"));
        assertThat(registry.get("distributed.lock.wait")
                        .tags("lock", "orders", "outcome", "acquired", "path", "free")
                        .timer()
                        .count())
                .isEqualTo(50_001);
    }

    @Test
    void labelsWithoutEndCountAsOne() {
        for (int i = 0; i < LockMetrics.MAX_LABELS + 100; i++) {
            metrics.requested("a", LockOrigin.of("label-" + i)).acquired(Path.FREE, 1);
        }

        assertThat(registry.find("distributed.lock.wait").timers()).hasSizeBetween(LockMetrics.MAX_LABELS, 1_001);
        assertThat(registry.get("distributed.lock.wait")
                        .tag("lock", "other")
                        .timer()
                        .count())
                .isEqualTo(100);
    }

    @Test
    void allMetersOfOneNameHaveTheSameTags() {
        callOf("a", LockOrigin.NONE);
        for (Path path : Path.values()) {
            metrics.requested("a", LockOrigin.NONE).acquired(path, 1);
        }
        for (Command command : Command.values()) {
            for (CommandOutcome answer : CommandOutcome.values()) {
                metrics.commandCompleted(command, answer, 1_000);
            }
        }
        for (Renewal result : Renewal.values()) {
            metrics.renewed(result);
        }

        for (String name : List.of("wait", "hold", "lost", "command", "renewals")) {
            Set<List<String>> keys = registry.find("distributed.lock." + name).meters().stream()
                    .map(Meter::getId)
                    .map(id -> id.getTags().stream().map(Tag::getKey).toList())
                    .collect(Collectors.toSet());
            assertThat(keys).as(name).hasSize(1);
        }
    }

    @Test
    void timesAreMeasured() {
        callOf("a", LockOrigin.of("orders"));
        metrics.commandCompleted(Command.ACQUIRE, CommandOutcome.OK, 4_000_000);

        assertThat(registry.get("distributed.lock.command").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(4);
        assertThat(registry.get("distributed.lock.wait")
                        .tags("outcome", "acquired", "path", "free")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(1);
        assertThat(registry.get("distributed.lock.hold")
                        .tags("lock", "orders", "outcome", "released")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(2);
        assertThat(registry.get("distributed.lock.wait")
                        .tags("outcome", "busy", "path", "none")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(3);
        assertThat(registry.get("distributed.lock.wait")
                        .tags("outcome", "re-entered", "path", "re-entered")
                        .timer()
                        .count())
                .isOne();
        assertThat(registry.get("distributed.lock.lost")
                        .tags("lock", "orders", "reason", "expired")
                        .counter()
                        .count())
                .isOne();
    }

    static class FailingListener {

        @EventListener
        void fail(LockEvent event) {
            throw new IllegalStateException("a listener of the application");
        }
    }

    @Test
    void anEventCountsAlthoughAListenerOfTheApplicationFails() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(FailingListener.class);
            context.registerBean(LockMetrics.class, () -> metrics);
            context.refresh();

            assertThatIllegalStateException()
                    .isThrownBy(() -> context.publishEvent(new LockDeadlockEvent("a", List.of(), false)));
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.publishEvent(new ServerClockSetBackEvent("a", Duration.ofSeconds(2))));
        }

        assertThat(registry.get("distributed.lock.deadlocks").counter().count()).isOne();
        assertThat(registry.get("distributed.lock.server.clock.set.back")
                        .counter()
                        .count())
                .isOne();
    }
}
