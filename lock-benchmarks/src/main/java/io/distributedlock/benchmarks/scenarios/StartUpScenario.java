/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.time.Duration;
import java.util.Map;

/** An application with many locked methods is started, and one without, each in a JVM of its own, by turns. */
record StartUpScenario(ScenarioInfo info) implements Scenario {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    static final String LOCKED = "locked";

    private static final String PLAIN = "plain";

    @Override
    public double seconds(Pace pace) {
        return pace.rounds() * 6;
    }

    @Override
    public void run(Bench bench) {
        for (int round = 1; round <= bench.pace().rounds(); round++) {
            bench.progress().at(info.title(), "start", "");
            try {
                measure(bench, round);
            } catch (IllegalStateException e) {
                bench.results().add(Measurement.failed(info.id(), LOCKED, round, e));
            }
            bench.progress().done(seconds(bench.pace()) / bench.pace().rounds());
        }
    }

    private void measure(Bench bench, int round) {
        double plain = millis(bench, false);
        double locked = millis(bench, true);
        Map<Metric, Double> without = Map.of(Metric.START_MILLIS, plain);
        Map<Metric, Double> with = Map.of(Metric.START_MILLIS, locked, Metric.START_ADDED, locked - plain);
        bench.results().add(new Measurement(info.id(), PLAIN, round, without, ""));
        bench.results().add(new Measurement(info.id(), LOCKED, round, with, ""));
    }

    private static double millis(Bench bench, boolean locked) {
        try (WorkerJvm worker = WorkerPool.startOne()) {
            return Long.parseLong(worker.ask(LIMIT, "start-up", bench.redisPort(), locked)) / 1e6;
        }
    }
}
