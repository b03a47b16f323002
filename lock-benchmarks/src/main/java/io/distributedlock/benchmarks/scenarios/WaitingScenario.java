/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import io.distributedlock.benchmarks.worker.Json;
import io.distributedlock.benchmarks.worker.WaitingRun;
import java.time.Duration;
import java.util.Map;

/** Many subscriptions of a locked publisher wait for one lock. */
record WaitingScenario(ScenarioInfo info) implements Scenario {

    static final String MONOS = "monos";

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final int COUNT = 10_000;

    @Override
    public double seconds(Pace pace) {
        return 6;
    }

    @Override
    public void run(Bench bench) {
        bench.progress().at(info.title(), MONOS, MONOS);
        try (WorkerJvm worker = WorkerPool.startOne()) {
            String reply = worker.request(LIMIT, "waiting", bench.redisPort(), COUNT);
            WaitingRun.Cost cost = Json.read(reply, WaitingRun.Cost.class);
            Map<Metric, Double> values =
                    Map.of(Metric.HEAP_EACH, (double) cost.bytes() / COUNT, Metric.THREADS, (double) cost.threads());
            bench.results().add(new Measurement(info.id(), MONOS, 1, values, ""));
        } catch (IllegalStateException e) {
            bench.results().add(Measurement.failed(info.id(), MONOS, 1, e));
        }
        bench.progress().done(seconds(bench.pace()));
    }
}
