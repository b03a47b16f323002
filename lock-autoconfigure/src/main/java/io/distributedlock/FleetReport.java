/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock;

import java.util.List;

/**
 * The reports of the instances that use the same Redis with the same key prefix.
 *
 * @param instances this instance first, then the others by id
 * @param complete whether the report covers all instances; false if a server did not list them, or if there are more
 *     than a thousand others
 * @since 0.1.0
 */
public record FleetReport(List<InstanceReport> instances, boolean complete) {

    @SuppressWarnings("doclint:missing") // The record describes the components.
    public FleetReport {
        instances = List.copyOf(instances);
    }
}
