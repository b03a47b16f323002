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
import java.util.Locale;
import java.util.Map;

/**
 * An application with many locked methods is started, one whose beans get proxies without locks, and one with neither,
 * each in a JVM of its own, by turns.
 */
record StartUpScenario(ScenarioInfo info) implements Scenario {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    static final String LOCKED = "locked";

    private static final String PROXIED = "proxied";

    private static final String PLAIN = "plain";

    @Override
    public double seconds(Pace pace) {
        return pace.rounds() * 9;
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
        double plain = millis(bench, PLAIN);
        add(bench, round, PLAIN, Map.of(Metric.START_MILLIS, plain));
        double proxied = millis(bench, PROXIED);
        add(bench, round, PROXIED, Map.of(Metric.START_MILLIS, proxied, Metric.START_ADDED, proxied - plain));
        double locked = millis(bench, LOCKED);
        add(
                bench,
                round,
                LOCKED,
                Map.of(
                        Metric.START_MILLIS,
                        locked,
                        Metric.START_ADDED,
                        locked - plain,
                        Metric.START_BESIDE,
                        locked - proxied));
    }

    private void add(Bench bench, int round, String services, Map<Metric, Double> values) {
        bench.results().add(new Measurement(info.id(), services, round, values, ""));
    }

    private static double millis(Bench bench, String services) {
        try (WorkerJvm worker = WorkerPool.startOne()) {
            String nanos = worker.ask(LIMIT, "start-up", bench.redisPort(), services.toUpperCase(Locale.ROOT));
            return Long.parseLong(nanos) / 1e6;
        }
    }
}
