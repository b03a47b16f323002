/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.testing.SafetyViolations;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each fault by itself, at random moments of what several JVMs do, judged by their history. {@code -Dfaults.seed}
 * repeats the decisions of a run, {@code -Dfaults.rows} plays some rows only (their names, with commas),
 * {@code -Dfaults.phases} says how often.
 */
@Tag(TestLength.RANDOM)
@ExtendWith(SafetyViolations.class)
class FaultMatrixTests {

    private static final FaultTestbed.Size SIZE = new FaultTestbed.Size(3, 5, 12, Duration.ofSeconds(1), 4_000);

    private static final Path OUTPUT = Path.of(System.getProperty("basedir", "."), "target", "faults");

    private static final String CHOSEN = System.getProperty("faults.rows");

    private static final MatrixReport REPORT = new MatrixReport();

    private static FaultTestbed arena;

    /** Of renewals that nobody saw, nothing can be said. */
    private static int renewals;

    /** Holds that readers or the members of one owner had beside others, and forced releases. */
    private static int together;

    private static int forced;

    private final long seed = Seeds.of("faults.seed");

    @BeforeAll
    static void openArena() {
        arena = new FaultTestbed(SIZE);
    }

    @AfterAll
    static void closeArena() {
        arena.close();
        REPORT.write(OUTPUT.resolve("matrix.md"));
        // A failed row may be played again by itself.
        if (REPORT.hasAllRows()) {
            assertThat(renewals).as("renewals that were looked at").isPositive();
            assertThat(together).as("holds beside others").isPositive();
            assertThat(forced).as("forced releases").isPositive();
        }
    }

    static Stream<FaultScenario> rows() {
        return CHOSEN == null
                ? Stream.of(FaultScenario.values())
                : Arrays.stream(CHOSEN.split(",")).map(FaultScenario::valueOf);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void keepsItsPromises(FaultScenario row) {
        int phases = TestLength.of("faults.phases", (row.phases() + 2) / 3, 2 * row.phases());
        Random random = new Random(seed + row.ordinal());
        String name = row.name().toLowerCase(Locale.ROOT).replace('_', '-');
        arena.begin(OUTPUT.resolve(name + "-" + System.nanoTime()), name, seed);
        int hits = 0;
        HistoryReport verdict;
        try {
            for (int i = 0; i < phases; i++) {
                Waits.pause(random.nextInt(80));
                hits += arena.play(row, random) ? 1 : 0;
            }
        } finally {
            verdict = arena.end(row.id() + " " + row.what(), row.model());
        }
        renewals += verdict.renewals();
        together += verdict.together();
        forced += verdict.forced();
        REPORT.add(row, phases, hits, verdict);
        System.out.println(verdict);
        verdict.assertGreen();
        assertThat(hits).as("hits").isPositive();
        if (row.letsLocksGo()) {
            assertThat(verdict.unknownReleases())
                    .as("releases that failed, apart from a few that a noisy machine may have delayed")
                    .isLessThan(5 + verdict.grants() / 20);
        }
    }
}
