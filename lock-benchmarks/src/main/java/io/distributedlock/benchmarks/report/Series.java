/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.List;

/** The same figure in several rounds. */
public record Series(List<Double> rounds) {

    public Series {
        rounds = List.copyOf(rounds);
    }

    public boolean isEmpty() {
        return rounds.isEmpty();
    }

    public double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    public double max() {
        return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    /** Half of the distance between the least and the greatest value, in percent of the median. */
    public double spread() {
        double least = rounds.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
        return median() == 0 ? 0 : (max() - least) / 2 / Math.abs(median()) * 100;
    }
}
