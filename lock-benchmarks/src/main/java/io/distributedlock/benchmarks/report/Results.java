/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** All measurements of a run. */
public final class Results {

    /** The contender with which all others are compared. */
    public static final String BASE_LINE = "bare";

    private final Map<String, ScenarioInfo> scenarios = new LinkedHashMap<>();

    private final List<Measurement> measurements = new ArrayList<>();

    private List<String> order = List.of();

    private final Map<String, String> facts = new TreeMap<>();

    public void begin(ScenarioInfo scenario) {
        scenarios.put(scenario.id(), scenario);
    }

    public void add(Measurement measurement) {
        measurements.add(measurement);
    }

    /** Adds a fact about the computer or the run. */
    public void fact(String name, String value) {
        facts.put(name, value);
    }

    public Map<String, String> facts() {
        return Map.copyOf(facts);
    }

    public List<ScenarioInfo> scenarios() {
        return List.copyOf(scenarios.values());
    }

    public List<Measurement> measurements() {
        return List.copyOf(measurements);
    }

    /** The order in which contenders appear; others come after them, in the order of their first measurement. */
    public void order(List<String> contenders) {
        order = List.copyOf(contenders);
    }

    /** The contenders that have been measured in a scenario. */
    public List<String> contenders(String scenario) {
        return measurements.stream()
                .filter(measurement -> measurement.scenario().equals(scenario))
                .map(Measurement::contender)
                .distinct()
                .sorted(Comparator.comparingInt(
                        contender -> order.contains(contender) ? order.indexOf(contender) : Integer.MAX_VALUE))
                .toList();
    }

    public Series series(String scenario, String contender, Metric metric) {
        return new Series(List.copyOf(byRound(scenario, contender, metric).values()));
    }

    public OptionalDouble median(String scenario, String contender, Metric metric) {
        Series series = series(scenario, contender, metric);
        return series.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(series.median());
    }

    /** The ratio of one contender to another, round by round. */
    public Series ratio(String scenario, String contender, String other, Metric metric) {
        Map<Integer, Double> dividends = byRound(scenario, contender, metric);
        Map<Integer, Double> divisors = byRound(scenario, other, metric);
        dividends.keySet().retainAll(divisors.keySet());
        return new Series(dividends.entrySet().stream()
                .filter(round -> divisors.getOrDefault(round.getKey(), 0.0) != 0)
                .map(round -> round.getValue() / divisors.getOrDefault(round.getKey(), 1.0))
                .toList());
    }

    /** The first remark, if any. */
    public Optional<String> remark(String scenario, String contender) {
        return measurements.stream()
                .filter(measurement -> measurement.scenario().equals(scenario)
                        && measurement.contender().equals(contender)
                        && !measurement.remark().isEmpty())
                .map(Measurement::remark)
                .findFirst();
    }

    /** The measurements in which mutual exclusion was violated. */
    public List<Measurement> violations() {
        return measurements.stream()
                .filter(measurement -> measurement.values().getOrDefault(Metric.VIOLATIONS, 0.0) > 0)
                .toList();
    }

    private Map<Integer, Double> byRound(String scenario, String contender, Metric metric) {
        Map<Integer, Double> rounds = new TreeMap<>();
        for (Measurement measurement : measurements) {
            Double value = measurement.values().get(metric);
            if (value != null
                    && measurement.scenario().equals(scenario)
                    && measurement.contender().equals(contender)) {
                rounds.put(measurement.round(), value);
            }
        }
        return rounds;
    }
}
