/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.benchmarks.machine.Topology;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.worker.Histograms;
import io.distributedlock.benchmarks.worker.LoadResult;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** Calculates the figures from the records of the JVMs under load and from the counters of the servers. */
final class LoadFigures {

    private final LoadScenario scenario;

    private final ContenderKind kind;

    private final List<LoadResult> loads;

    private final Reading before;

    private final Reading after;

    private final Map<Metric, Double> values = new EnumMap<>(Metric.class);

    LoadFigures(LoadScenario scenario, ContenderKind kind, List<LoadResult> loads, Reading before, Reading after) {
        this.scenario = scenario;
        this.kind = kind;
        this.loads = loads;
        this.before = before;
        this.after = after;
    }

    Measurement toMeasurement(int round, double seconds) {
        times();
        shares(seconds);
        costs(Math.max(1, sum(LoadResult::allCycles)));
        String remark = loads.stream()
                .map(LoadResult::firstError)
                .filter(error -> !error.isEmpty())
                .findFirst()
                .orElse("");
        return new Measurement(scenario.info().id(), kind.id(), round, values, remark);
    }

    private void times() {
        Histogram wait = merge(LoadResult.Times::waits);
        micros(Metric.WAIT_P50, wait, 50);
        micros(Metric.WAIT_P99, wait, 99);
        micros(Metric.WAIT_MAX, wait, 100);
        Histogram cycle = merge(LoadResult.Times::cycles);
        micros(Metric.CYCLE_P50, cycle, 50);
        micros(Metric.CYCLE_P99, cycle, 99);
        Histogram handOver = merge(LoadResult.Times::handOvers);
        micros(Metric.HANDOVER_P50, handOver, 50);
        micros(Metric.HANDOVER_P99, handOver, 99);
        micros(Metric.HANDOVER_MAX, handOver, 100);
        Histogram stretch = merge(LoadResult.Times::stretches);
        micros(Metric.STRETCH_P99, stretch, 99);
        micros(Metric.STRETCH_MAX, stretch, 100);
    }

    private void shares(double seconds) {
        List<Long> cycles =
                loads.stream().flatMap(load -> load.cycles().stream()).toList();
        double sum = cycles.stream().mapToLong(Long::longValue).sum();
        double squares =
                cycles.stream().mapToDouble(count -> (double) count * count).sum();
        put(Metric.CYCLES, sum / seconds);
        put(Metric.JAIN, squares == 0 ? 0 : sum * sum / (cycles.size() * squares));
        put(Metric.FEWEST, (double)
                cycles.stream().mapToLong(Long::longValue).min().orElse(0));
        put(Metric.MOST, (double)
                cycles.stream().mapToLong(Long::longValue).max().orElse(0));
        put(Metric.REMOTE, sum(LoadResult::remote) / seconds);
        put(Metric.SELF, 100.0 * sum(LoadResult::self) / Math.max(1, sum(LoadResult::allCycles)));
        put(Metric.VIOLATIONS, (double) sum(LoadResult::violations));
        put(Metric.ERRORS, (double) sum(LoadResult::errors));
    }

    private void costs(long cycles) {
        double commands = after.scripts() + after.others() - before.scripts() - before.others();
        if (kind.deletesOutsideOfScripts()) {
            commands += Math.max(0, after.deletes() - before.deletes() - cycles);
        }
        put(Metric.COMMANDS, commands / cycles);
        put(Metric.BYTES_IN, (double) (after.bytesIn() - before.bytesIn()) / cycles);
        put(Metric.BYTES_OUT, (double) (after.bytesOut() - before.bytesOut()) / cycles);
        put(Metric.REDIS_CPU, (after.cpuNanos() - before.cpuNanos()) / cycles / 1000);
        if (kind.topology() == Topology.CLUSTER) {
            put(Metric.BUS_MESSAGES, (double) (after.busMessages() - before.busMessages()));
        }
        put(Metric.CLIENT_CPU, sum(LoadResult::cpuNanos) / 1000.0 / cycles);
    }

    private long sum(ToLongFunction<LoadResult> part) {
        return loads.stream().mapToLong(part).sum();
    }

    private Histogram merge(Function<LoadResult.Times, String> part) {
        Histogram sum = Histograms.create();
        loads.forEach(load -> sum.add(Histograms.read(part.apply(load.times()))));
        return sum;
    }

    private void micros(Metric metric, Histogram histogram, double percentile) {
        if (histogram.getTotalCount() > 0) {
            put(metric, histogram.getValueAtPercentile(percentile) / 1000.0);
        }
    }

    private void put(Metric metric, double value) {
        values.put(metric, value);
    }
}
