/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.redis.history.Model;
import io.distributedlock.testing.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All faults of a topology in random order, while four JVMs use twenty locks, for {@code -Dchaos.minutes}, but until
 * each fault was played at least once. The history is judged in rounds, so its length is no matter.
 * {@code -Dchaos.topology=cluster} plays those of a cluster, {@code -Dchaos.seed} repeats the decisions of a run.
 */
class ChaosSoak {

    private static final FaultTestbed.Size SERVER_SIZE = new FaultTestbed.Size(4, 8, 20, Duration.ofSeconds(2), 40_000);

    /** Leases end before a replica is promoted, so only a fault that says so loses data. */
    private static final FaultTestbed.Size CLUSTER_SIZE =
            new FaultTestbed.Size(4, 4, 20, Duration.ofSeconds(1), 40_000);

    private static final Path OUTPUT = Path.of(System.getProperty("basedir", "."), "target", "chaos");

    /**
     * All faults are played once in that time, so ten times in half an hour, with what starts and ends of rounds take.
     */
    private static final double PASS_SECONDS = 140;

    /** A fault that hits nothing is played again at once, so many times. */
    private static final int TRIES = 3;

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void keepsItsPromises() {
        String topology = System.getProperty("chaos.topology", "server");
        switch (topology) {
            case "server" -> new Run<>("soak", SERVER_SIZE, List.of(FaultScenario.values())).play(new Server());
            case "cluster" ->
                new Run<>("soak-cluster", CLUSTER_SIZE, List.of(ClusterScenario.values())).play(new ClusterTarget());
            default -> throw new IllegalArgumentException("No such topology: " + topology);
        }
    }

    private static final class Run<T extends FaultTarget, R extends FaultRow<T>> {

        private final long seed = Seeds.of("chaos.seed");

        private final double minutes = Double.parseDouble(System.getProperty("chaos.minutes", "5"));

        private final Random random = new Random(seed);

        private final FaultTestbed.Size size;

        private final List<R> rows;

        private final SoakReport report;

        private final long end = System.nanoTime() + (long) (minutes * 60e9);

        Run(String file, FaultTestbed.Size size, List<R> rows) {
            this.size = size;
            this.rows = rows;
            this.report = new SoakReport(seed, file, rows);
        }

        void play(T redis) {
            System.out.println("Soak of " + minutes + " minutes, seed " + seed);
            try (FaultTestbed<T> testbed = new FaultTestbed<>(size, redis)) {
                FaultSchedule<R> deck = new FaultSchedule<>(random, rows);
                deck.deal().forEach(round -> play(testbed, round));
                while (System.nanoTime() < end) {
                    for (List<R> round : deck.deal()) {
                        if (System.nanoTime() < end) {
                            play(testbed, round);
                        }
                    }
                }
            } finally {
                report.write(OUTPUT);
            }
            System.out.println(report.markdown());
            assertThat(report.problems()).isEmpty();
            assertThat(report.neverHit()).as("faults that were never felt").isEmpty();
        }

        private void play(FaultTestbed<T> testbed, List<R> round) {
            boolean loses = round.stream().anyMatch(row -> row.model() != Model.NO_LOSS);
            Duration lease = size.lease().multipliedBy(round.get(0).leases());
            String name = "round-" + System.nanoTime();
            HistoryReport verdict;
            testbed.begin(OUTPUT.resolve(name), name, random.nextLong(), lease);
            try {
                round.forEach(row -> play(testbed, row));
            } finally {
                verdict = testbed.end(name + " " + round, loses ? Model.SOME_LOSS : Model.NO_LOSS);
            }
            report.add(verdict);
            report.write(OUTPUT);
            System.out.println(verdict);
        }

        private void play(FaultTestbed<T> testbed, R row) {
            long next = System.nanoTime() + (long) ((0.4 + 1.2 * random.nextDouble()) * interval() * 1e9);
            boolean hit = false;
            for (int i = 0; i < TRIES && !hit; i++) {
                hit = testbed.play(row, random);
                report.played(row, hit);
            }
            Waits.pause(Math.max(200, (next - System.nanoTime()) / 1_000_000));
        }

        /** Seconds from one fault to the next, on average. In a short run they come quicker. */
        private double interval() {
            return Math.min(PASS_SECONDS, minutes * 55) / rows.size();
        }
    }
}
