/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import io.distributedlock.benchmarks.worker.Json;
import io.distributedlock.benchmarks.worker.NamesOrder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Many names, each used once: the data that remains in the JVM and in Redis. In one round, each contender has its own
 * JVM.
 */
record NamesScenario(ScenarioInfo info, List<ContenderKind> contenders) implements Scenario {

    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final int THREADS = 32;

    /** Enough names to create everything that is created once, before the heap is measured first. */
    private static final int BEFORE = 20_000;

    NamesScenario {
        contenders = List.copyOf(contenders);
    }

    @Override
    public double seconds(Pace pace) {
        return contenders.size() * (4 + (pace.names() + BEFORE) * 0.00005);
    }

    @Override
    public void run(Bench bench) {
        for (ContenderKind kind : bench.taking(contenders)) {
            bench.progress().at(info.title(), kind.id(), kind.id());
            try (WorkerJvm worker = WorkerPool.startOne()) {
                bench.results().add(measure(bench, kind, worker));
            } catch (IllegalStateException e) {
                bench.results().add(Measurement.failed(info.id(), kind.id(), 1, e));
            }
            bench.progress().done(seconds(bench.pace()) / contenders.size());
        }
    }

    private Measurement measure(Bench bench, ContenderKind kind, WorkerJvm worker) {
        int count = bench.pace().names();
        int port = bench.redisPort();
        worker.request(LIMIT, "open", kind.id(), port);
        request(worker, "names", Json.write(new NamesOrder(kind, port, "before-", BEFORE, THREADS)));
        bench.counters().reset();
        long heap = request(worker, "heap");
        long nanos = request(worker, "names", Json.write(new NamesOrder(kind, port, "order-", count, THREADS)));
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.CYCLES, count / (nanos / 1e9));
        values.put(Metric.HEAP_GROWTH, (request(worker, "heap") - heap) / 1e6);
        values.put(Metric.KEYS_LEFT, (double) bench.counters().keys());
        return new Measurement(info.id(), kind.id(), 1, values, "");
    }

    private static long request(WorkerJvm worker, String request, Object... arguments) {
        return Long.parseLong(worker.request(LIMIT, request, arguments));
    }
}
