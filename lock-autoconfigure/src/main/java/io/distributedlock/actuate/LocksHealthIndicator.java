/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import io.distributedlock.LockActivity;
import io.distributedlock.LockMonitor;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the connection of the locks to Redis is established. Sends no command. Without the subscription the locks
 * work, but slower between instances, so that is a detail.
 */
public final class LocksHealthIndicator extends AbstractHealthIndicator {

    private final LockMonitor monitor;

    private final InstanceLabel label;

    public LocksHealthIndicator(LockMonitor monitor, InstanceLabel label) {
        super("The state of the locks could not be read");
        this.monitor = monitor;
        this.label = label;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        LockActivity activity = monitor.activity();
        builder.status(activity.connected() ? "UP" : "DOWN")
                .withDetail("instance", activity.instance())
                .withDetail("label", label.text())
                .withDetail("connected", activity.connected())
                .withDetail("subscribed", activity.subscribed())
                .withDetail("held", activity.held().size())
                .withDetail("waiting", activity.waiting().size());
    }
}
