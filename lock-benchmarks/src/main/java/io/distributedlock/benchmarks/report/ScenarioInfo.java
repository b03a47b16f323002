/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.List;

/**
 * What was done, and which figures tell about it.
 *
 * @param ratio the figure that is put in relation to the base line, or none
 */
public record ScenarioInfo(String id, String title, String description, List<Metric> columns, List<Metric> ratio) {

    public ScenarioInfo {
        columns = List.copyOf(columns);
        ratio = List.copyOf(ratio);
    }
}
