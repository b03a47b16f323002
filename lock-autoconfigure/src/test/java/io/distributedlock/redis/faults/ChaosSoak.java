/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.redis.history.Model;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All faults in random order, while four JVMs with eight workers each use twenty locks, for {@code -Dchaos.minutes},
 * but until each fault was played at least once. The history is judged in rounds, so its length is no matter.
 * {@code -Dchaos.seed} repeats the decisions of a run.
 */
class ChaosSoak {

    private static final FaultTestbed.Size SIZE = new FaultTestbed.Size(4, 8, 20, Duration.ofSeconds(2), 40_000);

    private static final Path OUTPUT = Path.of(System.getProperty("basedir", "."), "target", "chaos");

    /**
     * All faults are played once in that time, so ten times in half an hour, with what starts and ends of rounds take.
     */
    private static final double PASS_SECONDS = 140;

    /** A fault that hits nothing is played again at once, so many times. */
    private static final int TRIES = 3;

    private final long seed = Long.getLong("chaos.seed", System.nanoTime());

    private final double minutes = Double.parseDouble(System.getProperty("chaos.minutes", "5"));

    private final Random random = new Random(seed);

    private final SoakReport report = new SoakReport(seed);

    private final long end = System.nanoTime() + (long) (minutes * 60e9);

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void keepsItsPromises() {
        System.out.println("Soak of " + minutes + " minutes, seed " + seed);
        try (FaultTestbed<Server> arena = new FaultTestbed<>(SIZE, new Server())) {
            FaultSchedule deck = new FaultSchedule(random);
            playAll(arena, deck.deal());
            while (System.nanoTime() < end) {
                for (List<FaultScenario> round : deck.deal()) {
                    if (System.nanoTime() < end) {
                        play(arena, round);
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

    private void playAll(FaultTestbed<Server> arena, List<List<FaultScenario>> rounds) {
        rounds.forEach(round -> play(arena, round));
    }

    private void play(FaultTestbed<Server> arena, List<FaultScenario> rows) {
        boolean loses = rows.stream().anyMatch(row -> row.model() != Model.NO_LOSS);
        String name = "round-" + System.nanoTime();
        HistoryReport verdict;
        arena.begin(OUTPUT.resolve(name), name, random.nextLong(), SIZE.lease());
        try {
            rows.forEach(row -> play(arena, row));
        } finally {
            verdict = arena.end(name + " " + rows, loses ? Model.SOME_LOSS : Model.NO_LOSS);
        }
        report.add(verdict);
        report.write(OUTPUT);
        System.out.println(verdict);
    }

    private void play(FaultTestbed<Server> arena, FaultScenario row) {
        long next = System.nanoTime() + (long) ((0.4 + 1.2 * random.nextDouble()) * interval() * 1e9);
        boolean hit = false;
        for (int i = 0; i < TRIES && !hit; i++) {
            hit = arena.play(row, random);
            report.played(row, hit);
        }
        Waits.pause(Math.max(200, (next - System.nanoTime()) / 1_000_000));
    }

    /** Seconds from one fault to the next, on average. In a short run they come quicker. */
    private double interval() {
        return Math.min(PASS_SECONDS, minutes * 55) / FaultScenario.values().length;
    }
}
