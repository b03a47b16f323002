/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import static io.distributedlock.benchmarks.scenarios.Check.atLeast;
import static io.distributedlock.benchmarks.scenarios.Check.atMost;
import static io.distributedlock.benchmarks.scenarios.Check.between;
import static io.distributedlock.benchmarks.scenarios.Check.value;

import io.distributedlock.benchmarks.report.Mark;
import io.distributedlock.benchmarks.report.Mark.Verdict;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The expected figures of this lock. Ratios are taken within a round. */
final class Marks {

    private static final String BARE = Results.BASE_LINE;

    private static final String OURS = "ours";

    private static final String ANNOTATED = "ours-annotated";

    private static final String METERED = "ours-metered";

    private static final String CLUSTERED = "ours-cluster";

    private static final String RLOCK = "redisson";

    private static final List<String> SPRING = List.of("si-spin", "si-pubsub");

    private final List<Mark> marks = new ArrayList<>();

    private final Function<Boolean, Double> roundTrip;

    private Marks(Function<Boolean, Double> roundTrip) {
        this.roundTrip = roundTrip;
    }

    /** The function returns the round trip in µs, with or without the delay. It is called only where that was used. */
    static List<Mark> all(Function<Boolean, Double> roundTrip) {
        Marks all = new Marks(roundTrip);
        all.uncontended();
        all.oneJvm();
        all.severalJvms();
        all.inTheJvm();
        all.held();
        all.applications();
        all.crowd();
        all.cluster();
        all.acknowledged();
        return all.marks;
    }

    private void uncontended() {
        add(Catalog.SOLO, "annotated call ≥ 0.95 × bare", atLeast(0.95, speed(Catalog.SOLO, ANNOTATED, BARE)));
        add(
                Catalog.SOLO,
                "cycle p50 with meters ≤ 1.03 × without",
                atMost(1.03, ratio(Catalog.SOLO, METERED, ANNOTATED, Metric.CYCLE_P50)));
        add(Catalog.SOLO, "annotated call: 2 commands", commands(Catalog.SOLO, ANNOTATED, 2, 0.05));
        add(
                Catalog.SOLO,
                "asynchronous release ≥ 1.6 × bare",
                atLeast(1.6, speed(Catalog.SOLO, "ours-async-release", BARE)));
        add(Catalog.OWN, "≥ 0.95 × bare", atLeast(0.95, speed(Catalog.OWN, OURS, BARE)));
        add(Catalog.OWN, "≥ 2.2 × RLock", atLeast(2.2, speed(Catalog.OWN, OURS, RLOCK)));
        SPRING.forEach(spring -> add(Catalog.OWN, "≥ 1.6 × " + spring, atLeast(1.6, speed(Catalog.OWN, OURS, spring))));
        add(
                Catalog.OWN,
                "Redis CPU per cycle ≤ 0.35 × RLock",
                atMost(0.35, ratio(Catalog.OWN, OURS, RLOCK, Metric.REDIS_CPU)));
    }

    private void oneJvm() {
        for (String scenario : List.of(Catalog.ONE, Catalog.ONE_1MS)) {
            List<String> peers = List.of(RLOCK, SPRING.get(0), SPRING.get(1));
            if (scenario.equals(Catalog.ONE)) {
                peers.forEach(peer -> add(scenario, "≥ 12 × " + peer, atLeast(12, speed(scenario, OURS, peer))));
            }
            peers.forEach(peer -> add(
                    scenario,
                    "p99 wait ≤ 1/40 of " + peer,
                    atMost(1.0 / 40, ratio(scenario, OURS, peer, Metric.WAIT_P99))));
            add(scenario, "Jain ≥ 0.99", atLeast(0.99, value(scenario, OURS, Metric.JAIN)));
            add(scenario, "0 commands per local hand-over", atMost(0.02, value(scenario, OURS, Metric.COMMANDS)));
        }
    }

    private void severalJvms() {
        String four = Catalog.shared(4, 4);
        add(four, "≥ 20 × the best peer that hands over", Check.againstBestPeer(four, 20, Metric.CYCLES));
        add(four, "p99 wait ≤ 1/10 of that peer's", Check.againstBestPeer(four, 0.1, Metric.WAIT_P99));
        add(four, "Jain ≥ 0.9", atLeast(0.9, value(four, OURS, Metric.JAIN)));
        add(four, "stretch ≤ 10 ms + 2 round trips", stretch(four, false));
        add(Catalog.far(four), "stretch ≤ 10 ms + 2 round trips", stretch(Catalog.far(four), true));
        String eight = Catalog.shared(8, 1);
        add(eight, "≥ 8 × RLock", atLeast(8, speed(eight, OURS, RLOCK)));
        add(eight, "≥ 5 × si-pubsub", atLeast(5, speed(eight, OURS, "si-pubsub")));
        add(eight, "2.0 ± 0.1 commands", commands(eight, OURS, 2, 0.1));
        String two = Catalog.shared(2, 1);
        add(two, "2.0 ± 0.1 commands", commands(two, OURS, 2, 0.1));
        add(
                Catalog.far(two),
                "hand-over p50 ≤ 1.3 round trips",
                atMost(
                        1.3,
                        value(Catalog.far(two), OURS, Metric.HANDOVER_P50)
                                .andThen(series -> Check.divide(series, roundTrip.apply(true)))));
    }

    private Function<Results, Verdict> stretch(String scenario, boolean far) {
        return results -> Check.stretch(results, scenario, OURS, () -> 10_000 + 2 * roundTrip.apply(far));
    }

    private void inTheJvm() {
        add(Catalog.PIECES, "re-entry ≤ 300 ns", atMost(300, value(Catalog.PIECES, "reentry", Metric.NANOS)));
        add(
                Catalog.PIECES,
                "annotated re-entry with a key ≤ 1500 ns",
                atMost(1500, value(Catalog.PIECES, "annotatedReentry", Metric.NANOS)));
        for (String keys : List.of("own", "one")) {
            asFastAsBlocking("futureCalls-" + keys, "blockingCalls-" + keys);
            asFastAsBlocking("monoCalls-" + keys, "blockingCalls-" + keys);
        }
        add(Catalog.REENTRY, "0 commands", atMost(0.001, value(Catalog.REENTRY, OURS, Metric.COMMANDS)));
        add(
                Catalog.PIECES,
                "re-acquire of a retained lease ≤ 1100 ns",
                atMost(1100, value(Catalog.PIECES, "retainedReacquire", Metric.NANOS)));
        add(
                Catalog.SOLO,
                "0 commands to re-acquire a retained lease",
                atMost(0.02, value(Catalog.SOLO, "ours-retention", Metric.COMMANDS)));
    }

    /** The measured figure is the time of a call; the mark compares the calls in a time. */
    private void asFastAsBlocking(String calls, String blocking) {
        add(
                Catalog.PIECES,
                calls + " ≥ 0.9 × " + blocking,
                atLeast(0.9, ratio(Catalog.PIECES, blocking, calls, Metric.NANOS)));
    }

    private void held() {
        for (String scenario : List.of(Catalog.HELD_100K, Catalog.far(Catalog.HELD_100K))) {
            add(scenario, "heap ≤ 3.0 MB per 10 000", atMost(3.0, value(scenario, OURS, Metric.HEAP_PER_10K)));
            add(scenario, "≤ 110 scripts/s", atMost(110, value(scenario, OURS, Metric.SCRIPTS_PER_SECOND)));
            add(scenario, "0 lost", atMost(0, value(scenario, OURS, Metric.LOST)));
        }
        add(Catalog.NAMES, "heap growth ≤ 5 MB", atMost(5, value(Catalog.NAMES, OURS, Metric.HEAP_GROWTH)));
        add(Catalog.NAMES, "0 keys left", atMost(0, value(Catalog.NAMES, OURS, Metric.KEYS_LEFT)));
    }

    private void applications() {
        Check.Figure bytes = value(Catalog.WAITING, WaitingScenario.MONOS, Metric.HEAP_EACH);
        add(Catalog.WAITING, "a waiting Mono takes ≤ 600 B", atMost(600, bytes));
        add(
                Catalog.WAITING,
                "waiting Monos take no thread",
                atMost(0, value(Catalog.WAITING, WaitingScenario.MONOS, Metric.THREADS)));
        add(
                Catalog.START_UP,
                "start with 1 000 locked methods ≤ 300 ms more",
                atMost(300, value(Catalog.START_UP, StartUpScenario.LOCKED, Metric.START_ADDED)));
        add(
                Catalog.START_UP,
                "the same in beans with proxies ≤ 300 ms more",
                atMost(300, value(Catalog.START_UP, StartUpScenario.LOCKED, Metric.START_BESIDE)));
    }

    private void crowd() {
        String smallest = CrowdScenario.name(10);
        add(
                Catalog.CROWD,
                "Redis time of a hand-over with 10 000 waiting ≤ 2 × with 10",
                atMost(2, ratio(Catalog.CROWD, CrowdScenario.name(10_000), smallest, Metric.HANDOVER_CPU)));
        for (int waiting : List.of(10, 100)) {
            String name = CrowdScenario.name(waiting);
            add(
                    Catalog.CROWD,
                    "≤ 50 scripts/s of " + name,
                    atMost(50, value(Catalog.CROWD, name, Metric.SCRIPTS_PER_SECOND)));
        }
    }

    private void cluster() {
        for (String scenario : List.of(Catalog.cluster(Catalog.SOLO), Catalog.cluster(Catalog.OWN))) {
            add(scenario, "cluster ≥ 0.9 × one server", atLeast(0.9, speed(scenario, CLUSTERED, OURS)));
            add(scenario, "2.0 ± 0.1 commands in a cluster", commands(scenario, CLUSTERED, 2, 0.1));
        }
        String inTurn = Catalog.cluster(Catalog.shared(4, 1));
        add(inTurn, "2.0 ± 0.1 commands in a cluster", commands(inTurn, CLUSTERED, 2, 0.1));
        add(
                inTurn,
                "hand-over p50 ≤ 1.5 × one server",
                atMost(1.5, ratio(inTurn, CLUSTERED, OURS, Metric.HANDOVER_P50)));
        add(
                inTurn,
                "Redis CPU of all servers ≤ 1.5 × one server",
                atMost(1.5, ratio(inTurn, CLUSTERED, OURS, Metric.REDIS_CPU)));
        for (String scenario : List.of(inTurn, Catalog.cluster(Catalog.shared(4, 4)))) {
            add(
                    scenario,
                    "hand-over p99 ≤ 10 000 µs in a cluster",
                    atMost(10_000, value(scenario, CLUSTERED, Metric.HANDOVER_P99)));
            add(scenario, "0 messages to other shards", atMost(0, value(scenario, CLUSTERED, Metric.BUS_MESSAGES)));
        }
    }

    private void acknowledged() {
        for (int threads : List.of(16, 64)) {
            String scenario = Catalog.acknowledged(threads);
            double least = threads == 16 ? 0.5 : 0.8;
            add(
                    scenario,
                    "acknowledged ≥ " + least + " × not acknowledged",
                    atLeast(least, speed(scenario, "ours-acknowledged", "ours-replicated")));
        }
    }

    private static Check.Figure speed(String scenario, String contender, String other) {
        return ratio(scenario, contender, other, Metric.CYCLES);
    }

    private static Check.Figure ratio(String scenario, String contender, String other, Metric metric) {
        return results -> results.ratio(scenario, contender, other, metric);
    }

    private static Function<Results, Verdict> commands(String scenario, String contender, double count, double off) {
        return between(count - off, count + off, value(scenario, contender, Metric.COMMANDS));
    }

    private void add(String scenario, String text, Function<Results, Verdict> check) {
        marks.add(new Mark(scenario, text, check));
    }
}
