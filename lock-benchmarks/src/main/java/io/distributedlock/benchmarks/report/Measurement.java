/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.EnumMap;
import java.util.Map;

/**
 * The figures of one contender in one round of one scenario.
 *
 * @param round from 1
 * @param remark a remark that the figures do not show, or empty
 */
public record Measurement(String scenario, String contender, int round, Map<Metric, Double> values, String remark) {

    public Measurement {
        values = Map.copyOf(values);
    }

    /** A measurement without figures, since the run failed. */
    public static Measurement failed(String scenario, String contender, int round, Throwable reason) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.ERRORS, 1.0);
        return new Measurement(scenario, contender, round, values, String.valueOf(reason.getMessage()));
    }
}
