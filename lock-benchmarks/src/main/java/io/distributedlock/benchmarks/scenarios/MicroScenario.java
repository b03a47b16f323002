/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.micro.MicroRun;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.util.List;
import java.util.Map;

/** The measurements by JMH, most of them without Redis. Here, an iteration is a round, and a piece is a contender. */
record MicroScenario(ScenarioInfo info) implements Scenario {

    private static final int PIECES = 14;

    @Override
    public double seconds(Pace pace) {
        return PIECES * (2 + 2.0 * pace.rounds() * pace.firstMillis() / 1000.0);
    }

    @Override
    public void run(Bench bench) {
        Pace pace = bench.pace();
        bench.progress().at(info.title(), "JMH", "");
        try {
            Map<String, List<Double>> pieces = MicroRun.run(bench.redisPort(), pace.rounds(), pace.firstMillis());
            pieces.forEach((name, values) -> {
                for (int round = 1; round <= values.size(); round++) {
                    Map<Metric, Double> figures = Map.of(Metric.NANOS, values.get(round - 1));
                    bench.results().add(new Measurement(info.id(), name, round, figures, ""));
                }
            });
        } catch (IllegalStateException e) {
            bench.results().add(Measurement.failed(info.id(), "all", 1, e));
        }
        bench.progress().done(seconds(pace));
    }
}
