/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.ScenarioInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Threads of one or several JVMs that acquire and release locks as fast as they can.
 *
 * <p>Every round measures all contenders, one after the other, and begins with another contender. So a disturbance of
 * the computer affects all contenders, and ratios within a round are meaningful. The JVMs stay the same for all rounds,
 * and contenders stay connected. Before the rounds, each contender gets a first load that is not counted.
 *
 * @param jvms the number of JVMs
 * @param threads the number of threads in each JVM
 * @param shared whether all threads acquire the same lock, or each thread its own
 * @param nested whether each thread holds its lock already and enters again
 * @param sectionNanos how long a section sleeps
 * @param delayed whether Redis is a millisecond away
 */
record LoadScenario(
        ScenarioInfo info,
        int jvms,
        int threads,
        boolean shared,
        boolean nested,
        long sectionNanos,
        boolean delayed,
        List<ContenderKind> contenders)
        implements Scenario {

    LoadScenario {
        contenders = List.copyOf(contenders);
    }

    @Override
    public double seconds(Pace pace) {
        double start = 2 + jvms * 0.4 + contenders.size() * (0.4 + pace.firstMillis() / 1000.0);
        return start + pace.rounds() * contenders.size() * pace.measurementSeconds();
    }

    @Override
    public void run(Bench bench) {
        List<ContenderKind> able = new ArrayList<>(bench.taking(contenders));
        double share = seconds(bench.pace()) / (bench.pace().rounds() + 1.0);
        try (LoadSession session = new LoadSession(this, bench)) {
            bench.progress().at(info.title(), "warm-up", "");
            for (ContenderKind kind : List.copyOf(able)) {
                attempt(bench, session, able, kind, 1, () -> session.warmUp(kind));
            }
            bench.progress().done(share);
            for (int round = 1; round <= bench.pace().rounds(); round++) {
                round(bench, session, able, round);
                bench.progress().done(share);
            }
        }
    }

    private void round(Bench bench, LoadSession session, List<ContenderKind> able, int round) {
        List<ContenderKind> order = new ArrayList<>(contenders);
        Collections.rotate(order, -round);
        order.retainAll(able);
        for (ContenderKind kind : order) {
            bench.progress()
                    .at(info.title(), "round " + round + "/" + bench.pace().rounds(), kind.id());
            attempt(bench, session, able, kind, round, () -> bench.results().add(session.measure(kind, round)));
        }
    }

    /** A contender that fails once is left out from then on. */
    private void attempt(
            Bench bench, LoadSession session, List<ContenderKind> able, ContenderKind kind, int round, Runnable turn) {
        try {
            turn.run();
        } catch (IllegalStateException e) {
            able.remove(kind);
            session.repair();
            bench.results().add(Measurement.failed(info.id(), kind.id(), round, e));
        }
    }
}
