/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.LockActivity;
import io.distributedlock.LockAvailability;
import io.distributedlock.LockMonitor;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while this instance can acquire locks. Each request is a {@linkplain LockMonitor#availability() check}, which
 * sends a few commands. Without the subscription the locks work, but slower between instances, so that is a detail.
 *
 * @since 0.1.0
 */
public final class LocksHealthIndicator extends AbstractHealthIndicator {

    private final @Nullable LockMonitor monitor;

    private final InstanceLabel label;

    private final Clock clock;

    /**
     * Creates an indicator that checks at each request.
     *
     * @param monitor checks whether this instance can acquire locks; null if the locks offer no check, as a mock of
     *     them: then the status is UNKNOWN
     * @param label identifies this instance
     */
    public LocksHealthIndicator(@Nullable LockMonitor monitor, InstanceLabel label) {
        this(monitor, label, Clock.systemUTC());
    }

    LocksHealthIndicator(@Nullable LockMonitor monitor, InstanceLabel label, Clock clock) {
        super("The state of the locks could not be read");
        this.monitor = monitor;
        this.label = label;
        this.clock = clock;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (monitor == null) {
            builder.unknown().withDetail("reason", "The locks of this application are no LockMonitor");
            return;
        }
        LockAvailability availability = monitor.availability();
        LockActivity activity = monitor.activity();
        builder.status(availability.isFull() ? "UP" : "DOWN")
                .withDetail("instance", activity.instance())
                .withDetail("label", label.text())
                .withDetail("connected", activity.connected())
                .withDetail("subscribed", activity.subscribed())
                .withDetail("held", activity.held().size())
                .withDetail("waiting", activity.waiting().size());
        if (!availability.isFull()) {
            builder.withDetail("failures", described(availability, clock.instant()));
        }
    }

    private static List<Map<String, String>> described(LockAvailability availability, Instant now) {
        return availability.failures().stream()
                .map(failure -> described(failure, now))
                .toList();
    }

    private static Map<String, String> described(LockAvailability.Failure failure, Instant now) {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("server", failure.server());
        shown.put("error", failure.error());
        shown.put(
                "since",
                now.minus(failure.lasting()).truncatedTo(ChronoUnit.MILLIS).toString());
        return shown;
    }
}
