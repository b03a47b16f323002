/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.List;

/**
 * The description of a scenario, and the figures that its table shows.
 *
 * @param ratio the figure that is compared with the base line, or none
 */
public record ScenarioInfo(String id, String title, String description, List<Metric> columns, List<Metric> ratio) {

    public ScenarioInfo {
        columns = List.copyOf(columns);
        ratio = List.copyOf(ratio);
    }
}
