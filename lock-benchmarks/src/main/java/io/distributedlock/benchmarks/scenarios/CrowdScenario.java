/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.WaitingInstances;
import io.distributedlock.benchmarks.machine.RedisCounters.Reading;
import io.distributedlock.benchmarks.machine.ScriptedLine;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One lock and many instances that wait for it: what a hand-over costs Redis, and what it costs that they wait. The
 * line is written by the scripts themselves, as this many JVMs do not fit on one machine; as many real instances as do
 * fit wait for the second figure.
 */
record CrowdScenario(ScenarioInfo info, List<Integer> sizes) implements Scenario {

    /** So many have an engine and connections of their own. */
    private static final int LARGEST_REAL = 100;

    private static final int WARM_UP = 200;

    private static final int HAND_OVERS = 1_000;

    CrowdScenario {
        sizes = List.copyOf(sizes);
    }

    static String name(int waiting) {
        return waiting + " waiting";
    }

    @Override
    public double seconds(Pace pace) {
        return pace.rounds() * sizes.size() * 1.5 + 3 * (2 + pace.holdSeconds());
    }

    @Override
    public void run(Bench bench) {
        double share = seconds(bench.pace()) / (bench.pace().rounds() + 1.0);
        for (int round = 1; round <= bench.pace().rounds(); round++) {
            bench.progress()
                    .at(info.title(), "round " + round + "/" + bench.pace().rounds(), "");
            for (int size : sizes) {
                attempt(bench, size, round);
            }
            bench.progress().done(share);
        }
        bench.progress().done(share);
    }

    private void attempt(Bench bench, int size, int round) {
        try {
            Map<Metric, Double> values = new EnumMap<>(Metric.class);
            bench.counters().reset();
            values.put(Metric.HANDOVER_CPU, handOver(bench, size));
            bench.counters().reset();
            if (round == 1 && size <= LARGEST_REAL) {
                values.put(Metric.SCRIPTS_PER_SECOND, scriptsWhileWaiting(bench, size));
            }
            bench.results().add(new Measurement(info.id(), name(size), round, values, ""));
        } catch (IllegalStateException e) {
            bench.results().add(Measurement.failed(info.id(), name(size), round, e));
        }
    }

    private static double handOver(Bench bench, int size) {
        try (ScriptedLine line = new ScriptedLine(bench.redisPort(), size)) {
            line.handOver(WARM_UP);
            return line.handOver(HAND_OVERS);
        }
    }

    private static double scriptsWhileWaiting(Bench bench, int size) {
        try (WaitingInstances instances = WaitingInstances.start(bench.redisPort(), size)) {
            instances.awaitAllInLine();
            Reading before = bench.counters().read();
            instances.stay(bench.pace().holdSeconds());
            Reading after = bench.counters().read();
            return (after.scripts() - before.scripts()) / ((after.at() - before.at()) / 1e9);
        }
    }
}
