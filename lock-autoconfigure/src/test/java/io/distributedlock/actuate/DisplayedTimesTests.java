/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.FleetReport;
import io.distributedlock.InstanceReport;
import io.distributedlock.LockActivity;
import io.distributedlock.LockMode;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockOrigin;
import io.distributedlock.LockState;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

/** The times in a response while another instance does not reply, and Redis is slow. */
class DisplayedTimesTests {

    private static final Instant BEGIN = Instant.parse("2026-11-22T20:00:00Z");

    private static final Duration WITHOUT_REPLY = Duration.ofMillis(500);

    private static final Duration AGE = Duration.ofSeconds(12);

    private static final Instant SINCE = BEGIN.minus(AGE);

    private Instant now = BEGIN;

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    private final InstanceLabel label = new InstanceLabel(new MockEnvironment());

    private final LockActivity.Held held = new LockActivity.Held(
            "a",
            7,
            AGE,
            Duration.ofSeconds(20),
            "exec-1",
            0,
            0,
            LockOrigin.NONE,
            null,
            Duration.ofSeconds(2),
            LockMode.EXCLUSIVE);

    private final LockActivity.Waiting waiting =
            new LockActivity.Waiting("b", "exec-2", AGE, Duration.ofSeconds(3), null, LockOrigin.NONE, null);

    private final LockMonitor monitor = new LockMonitor() {
        @Override
        public LockActivity activity() {
            return new LockActivity("AAAAAAAA", true, true, List.of(held), List.of(waiting));
        }

        @Override
        public FleetReport fleet(String after, int atMost) {
            InstanceReport self = new InstanceReport(
                    "AAAAAAAA",
                    "till 1",
                    true,
                    true,
                    true,
                    1,
                    1,
                    List.of(held),
                    List.of(new InstanceReport.Wait(waiting, 1)),
                    null);
            now = now.plus(WITHOUT_REPLY);
            return new FleetReport(List.of(self, InstanceReport.silent("BBBBBBBB", null)), true);
        }

        @Override
        public List<String> line(String lockName, int atMost) {
            return List.of("BBBBBBBB");
        }

        @Override
        public Map<String, String> labels(Collection<String> instances) {
            now = now.plus(WITHOUT_REPLY);
            return Map.of();
        }
    };

    private final LockOperations locks = (LockOperations) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {LockOperations.class}, (proxy, method, arguments) -> {
                now = now.plus(WITHOUT_REPLY);
                return Optional.of(new LockState("a", "AAAAAAAA", 7, Duration.ofSeconds(20), 1));
            });

    @Test
    void areThoseOfTheHoldsInTheFleet() {
        FleetDescriptor fleet = new FleetView(monitor, clock).describe("", 10);

        assertThat(fleet.held().get(0).since()).isEqualTo(SINCE);
        assertThat(fleet.held().get(0).lastRenewal()).isEqualTo(BEGIN.minusSeconds(2));
        assertThat(fleet.waiting().get(0).since()).isEqualTo(SINCE);
        assertThat(fleet.waiting().get(0).until()).isEqualTo(BEGIN.plusSeconds(3));
    }

    @Test
    void areThoseOfTheHoldOfOneLock() {
        LockDescriptor lock = new LockDetails(locks, monitor, label, clock).of("a");

        assertThat(lock.holder()).isNotNull();
        assertThat(lock.holder().since()).isEqualTo(SINCE);
    }

    @Test
    void areThoseOfTheHoldsOfOneInstance() {
        LocksDescriptor instance = new InstanceView(locks, monitor, label, clock).describe("", 10);

        assertThat(instance.held().get(0).since()).isEqualTo(SINCE);
        assertThat(instance.waiting().get(0).until()).isEqualTo(BEGIN.plusSeconds(3));
    }
}
