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
 * One lock and many waiting instances: the cost of a hand-over for Redis, and the cost of the wait. The scripts
 * themselves write the line, as this many JVMs do not fit on one machine. For the second figure, as many real instances
 * wait as fit on the machine.
 */
record CrowdScenario(ScenarioInfo info, List<Integer> sizes) implements Scenario {

    /** The largest number of instances that have an engine and connections. */
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
