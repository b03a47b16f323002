/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
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
import java.util.concurrent.TimeUnit;

/**
 * Many locks are held and renewed. In one round, each contender has its own JVM, which is watched for the length of two
 * renewals.
 *
 * @param tenThousands the number of locks, in units of the pace
 */
record HeldScenario(ScenarioInfo info, int tenThousands, boolean delayed, List<ContenderKind> contenders)
        implements Scenario {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    HeldScenario {
        contenders = List.copyOf(contenders);
    }

    @Override
    public double seconds(Pace pace) {
        double acquire = count(pace) * (delayed ? 0.0003 : 0.0002);
        return contenders.size() * (4 + pace.holdSeconds() + acquire);
    }

    private int count(Pace pace) {
        return pace.held() * tenThousands;
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
        int count = count(bench.pace());
        bench.counters().reset();
        int port = bench.port(delayed);
        worker.request(LIMIT, "open", kind.id(), port);
        long heap = request(worker, "heap");
        long acquired = request(worker, "hold", Json.write(new NamesOrder(kind, port, "held-", count, threads(kind))));
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.ACQUIRE_SECONDS, acquired / 1e9);
        values.put(Metric.HEAP_PER_10K, (request(worker, "heap") - heap) / 1e6 / count * 10_000);
        watch(bench, worker, values);
        long alive = Math.min(bench.counters().keys(), request(worker, "held"));
        values.put(Metric.LOST, (double) Math.max(count - alive, request(worker, "release")));
        return new Measurement(info.id(), kind.id(), 1, values, "");
    }

    private static void watch(Bench bench, WorkerJvm worker, Map<Metric, Double> values) {
        Reading before = bench.counters().read();
        long cpuBefore = request(worker, "cpu");
        sleep(bench.pace().holdSeconds());
        long cpu = request(worker, "cpu") - cpuBefore;
        Reading after = bench.counters().read();
        double nanos = after.at() - before.at();
        values.put(Metric.SCRIPTS_PER_SECOND, (after.scripts() - before.scripts()) / nanos * 1e9);
        values.put(Metric.REDIS_CPU_SHARE, (after.cpuNanos() - before.cpuNanos()) / nanos * 100);
        values.put(Metric.CLIENT_CPU_SHARE, cpu / nanos * 100);
    }

    /** Locks of Spring Integration share stripes, on which its threads would block each other forever. */
    private int threads(ContenderKind kind) {
        if (kind == ContenderKind.SPRING_RENEWED) {
            return 1;
        }
        return delayed ? 64 : 8;
    }

    private static long request(WorkerJvm worker, String request, Object... arguments) {
        return Long.parseLong(worker.request(LIMIT, request, arguments));
    }

    private static void sleep(int seconds) {
        try {
            TimeUnit.SECONDS.sleep(seconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
