/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.machine.WorkerJvm;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import io.distributedlock.benchmarks.report.Series;
import io.distributedlock.benchmarks.worker.Json;
import io.distributedlock.benchmarks.worker.StartUpRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Starts three applications in turn, each in its own JVM: one with many locked methods, one whose beans get proxies
 * without locks, and one with neither. On a few cores, the start of a JVM takes up to a second more or less, depending
 * on its compilers, and the difference to measure is a tenth of that. So a round has several turns. A difference is
 * taken between the starts of one turn, since these have most in common; the figure of the round is the median of its
 * turns. The next turn has the opposite order, so that a machine that becomes slower or faster favours no application.
 */
record StartUpScenario(ScenarioInfo info) implements Scenario {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final int TURNS = 5;

    private static final double SECONDS_OF_TURN = 9;

    static final String LOCKED = "locked";

    private static final String PROXIED = "proxied";

    private static final String PLAIN = "plain";

    @Override
    public double seconds(Pace pace) {
        return pace.rounds() * SECONDS_OF_TURN * turns(pace) + SECONDS_OF_TURN / 3;
    }

    private static int turns(Pace pace) {
        return pace.quick() ? 1 : TURNS;
    }

    @Override
    public void run(Bench bench) {
        bench.progress().at(info.title(), "start", "");
        try {
            // The first start reads the class path from the disk, and is not measured.
            start(bench, PLAIN);
        } catch (IllegalStateException e) {
            bench.results().add(Measurement.failed(info.id(), PLAIN, 1, e));
        }
        bench.progress().done(SECONDS_OF_TURN / 3);
        for (int round = 1; round <= bench.pace().rounds(); round++) {
            try {
                measure(bench, round);
            } catch (IllegalStateException e) {
                bench.results().add(Measurement.failed(info.id(), LOCKED, round, e));
            }
        }
    }

    private void measure(Bench bench, int round) {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < turns(bench.pace()); i++) {
            bench.progress().at(info.title(), "start", "");
            turns.add(turn(bench, i % 2 == 1));
            bench.progress().done(SECONDS_OF_TURN);
        }
        add(bench, round, PLAIN, values(turns, PLAIN));
        Map<Metric, Double> proxied = values(turns, PROXIED);
        proxied.put(Metric.START_ADDED, added(turns, PROXIED, PLAIN, StartUpRun.Cost::nanos));
        proxied.put(Metric.START_CPU_ADDED, added(turns, PROXIED, PLAIN, StartUpRun.Cost::cpuNanos));
        add(bench, round, PROXIED, proxied);
        Map<Metric, Double> locked = values(turns, LOCKED);
        locked.put(Metric.START_ADDED, added(turns, LOCKED, PLAIN, StartUpRun.Cost::nanos));
        locked.put(Metric.START_BESIDE, added(turns, LOCKED, PROXIED, StartUpRun.Cost::nanos));
        locked.put(Metric.START_CPU_ADDED, added(turns, LOCKED, PLAIN, StartUpRun.Cost::cpuNanos));
        locked.put(Metric.START_CPU_BESIDE, added(turns, LOCKED, PROXIED, StartUpRun.Cost::cpuNanos));
        add(bench, round, LOCKED, locked);
    }

    /** One start of each application. */
    private record Turn(Map<String, StartUpRun.Cost> costs) {

        double millis(String services, ToDoubleFunction<StartUpRun.Cost> nanos) {
            return nanos.applyAsDouble(Objects.requireNonNull(costs.get(services))) / 1e6;
        }
    }

    private static Turn turn(Bench bench, boolean backwards) {
        List<String> order = new ArrayList<>(List.of(PLAIN, PROXIED, LOCKED));
        if (backwards) {
            Collections.reverse(order);
        }
        Map<String, StartUpRun.Cost> costs = new HashMap<>();
        order.forEach(services -> costs.put(services, start(bench, services)));
        return new Turn(costs);
    }

    private static Map<Metric, Double> values(List<Turn> turns, String services) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.START_MILLIS, median(turns, turn -> turn.millis(services, StartUpRun.Cost::nanos)));
        values.put(Metric.START_CPU, median(turns, turn -> turn.millis(services, StartUpRun.Cost::cpuNanos)));
        return values;
    }

    private static double added(
            List<Turn> turns, String services, String others, ToDoubleFunction<StartUpRun.Cost> nanos) {
        return median(turns, turn -> turn.millis(services, nanos) - turn.millis(others, nanos));
    }

    private static double median(List<Turn> turns, ToDoubleFunction<Turn> value) {
        return new Series(turns.stream().mapToDouble(value).boxed().toList()).median();
    }

    private void add(Bench bench, int round, String services, Map<Metric, Double> values) {
        bench.results().add(new Measurement(info.id(), services, round, values, ""));
    }

    private static StartUpRun.Cost start(Bench bench, String services) {
        try (WorkerJvm worker = WorkerPool.startOne()) {
            String reply = worker.request(LIMIT, "start-up", bench.redisPort(), services.toUpperCase(Locale.ROOT));
            return Json.read(reply, StartUpRun.Cost.class);
        }
    }
}
