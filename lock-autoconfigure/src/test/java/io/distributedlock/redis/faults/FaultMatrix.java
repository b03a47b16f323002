/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.redis.history.HistoryReport;
import io.distributedlock.testing.Seeds;
import io.distributedlock.testing.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one topology, each by itself, at random moments of what several JVMs do. {@code -Dfaults.seed} repeats
 * the decisions of a run, {@code -Dfaults.rows} plays some rows only (their names, with commas),
 * {@code -Dfaults.phases} says how often.
 */
final class FaultMatrix<T extends FaultTarget> implements AutoCloseable {

    private static final Path OUTPUT = Path.of(System.getProperty("basedir", "."), "target", "faults");

    private static final FaultTestbed.Size SIZE = new FaultTestbed.Size(3, 5, 12, Duration.ofSeconds(1), 4_000);

    private static final @Nullable String CHOSEN = System.getProperty("faults.rows");

    /** One hold of ten is renewed, one of fifty is had beside another, and as many are taken away by force. */
    private static final int FEW = 150;

    private static final int MANY = 700;

    /** On a busy machine, what a fault needs before it counts can come too late for its phase. */
    private static final int MORE_PHASES = 3;

    private final MatrixReport report = new MatrixReport();

    private final long seed = Seeds.of("faults.seed");

    private final String file;

    private final FaultTestbed<T> testbed;

    private int holds;

    /** Without recorded renewals, nothing can be said about them. */
    private int renewals;

    /** Holds that readers or the members of one owner had beside others, and forced releases. */
    private int together;

    private int forced;

    /** Holds of locks that were acquired all or none. */
    private int inSets;

    private int extensions;

    /**
     * @param file where the table goes
     * @param redis closed with this object
     */
    FaultMatrix(String file, T redis) {
        this.file = file;
        this.testbed = new FaultTestbed<>(SIZE, redis);
    }

    /** Those of the values that are to be played. */
    static <R extends FaultRow<?>> Stream<R> chosen(R[] rows) {
        return CHOSEN == null
                ? Arrays.stream(rows).filter(row -> row.isInOrdinaryBuild() || TestLength.choose(0, 1) == 1)
                : Arrays.stream(rows)
                        .filter(row -> Arrays.asList(CHOSEN.split(",")).contains(row.name()));
    }

    /** As often as it fits into the present build. */
    void play(FaultRow<T> row) {
        play(row, TestLength.of("faults.phases", 1, 2 * row.phases()));
    }

    private void play(FaultRow<T> row, int phases) {
        Random random = new Random(seed + row.ordinal());
        String name = row.name().toLowerCase(Locale.ROOT).replace('_', '-');
        testbed.begin(
                OUTPUT.resolve(name + "-" + System.nanoTime()),
                name,
                seed,
                SIZE.lease().multipliedBy(row.leases()));
        int hits = 0;
        HistoryReport verdict;
        try {
            for (int i = 0; i < phases || hits == 0 && i < phases + MORE_PHASES; i++) {
                Waits.pause(random.nextInt(80));
                hits += testbed.play(row, random) ? 1 : 0;
            }
        } finally {
            verdict = testbed.end(row.id() + " " + row.what(), row.model());
        }
        holds += verdict.grants();
        renewals += verdict.renewals();
        together += verdict.together();
        forced += verdict.forced();
        inSets += verdict.inSets();
        extensions += verdict.extensions();
        report.add(row, phases, hits, verdict);
        System.out.println(verdict);
        verdict.assertGreen();
        assertThat(hits).as("hits").isPositive();
        if (row.letsLocksGo()) {
            assertThat(verdict.unknownReleases())
                    .as("releases that failed, apart from a few that a noisy machine may have delayed")
                    .isLessThan(5 + verdict.grants() / 20);
        }
    }

    @Override
    public void close() {
        testbed.close();
        report.write(OUTPUT.resolve(file));
        if (holds >= FEW) {
            assertThat(renewals).as("renewals that were looked at").isPositive();
        }
        if (holds >= MANY) {
            assertThat(together).as("holds beside others").isPositive();
            assertThat(forced).as("forced releases").isPositive();
            assertThat(inSets).as("holds in sets").isPositive();
            assertThat(extensions).as("extensions").isPositive();
        }
    }
}
