/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.scenarios.Bench;
import io.distributedlock.benchmarks.scenarios.Catalog;
import io.distributedlock.benchmarks.scenarios.Pace;
import io.distributedlock.benchmarks.scenarios.Progress;
import io.distributedlock.testing.TestLength;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarksTests {

    private static final Pace TINY = new Pace(true, 1, 100, 50, 200, 1, 10, 10);

    private final Progress silent = new Progress(new PrintStream(new ByteArrayOutputStream()), 1);

    @TempDir
    private Path directory;

    @Tag(TestLength.FULL)
    @Test
    void comparesTheLockWithTheBaseLineAndDetectsAnExclusionViolation() throws Exception {
        try (Bench bench = new Bench(TINY, Set.of(), silent)) {
            bench.run(Catalog.twoJvms(ContenderKind.BARE, ContenderKind.OURS));
            assertThat(bench.isExclusionViolated()).isFalse();
            // On a busy machine, two JVMs may not be inside at the same time during one short measurement.
            for (int i = 0; i < 20 && !bench.isExclusionViolated(); i++) {
                bench.run(Catalog.twoJvms(ContenderKind.NO_LOCK));
            }
            new ReportFiles(directory).write(bench);

            Results results = bench.results();
            for (String locked : List.of("bare", "ours")) {
                assertThat(results.series("2x2", locked, Metric.CYCLES).median())
                        .isPositive();
                assertThat(results.series("2x2", locked, Metric.ERRORS).max()).isZero();
                assertThat(results.series("2x2", locked, Metric.VIOLATIONS).max())
                        .isZero();
            }
            assertThat(results.series("2x2", "no-lock", Metric.VIOLATIONS).max())
                    .isPositive();
            assertThat(bench.isExclusionViolated()).isTrue();
        }
        assertThat(Files.readString(directory.resolve(ReportFiles.MARKDOWN)))
                .contains("2 JVMs × 2, one lock", "VIOLATED", "2x2, no-lock, round 1")
                .doesNotContain("2x2, ours, round 1");
        assertThat(Files.readString(directory.resolve(ReportFiles.JSON))).contains("\"ours\"", "\"toBare\"");
        assertThat(Files.readString(directory.resolve(ReportFiles.CHART))).startsWith("<svg");
    }

    @Tag(TestLength.FULL)
    @Test
    void measuresAHandOverHoweverManyWait() {
        try (Bench bench = new Bench(TINY, Set.of(), silent)) {
            bench.run(Catalog.crowd(1, 10, 200));

            Results results = bench.results();
            for (int waiting : List.of(1, 10, 200)) {
                String name = waiting + " waiting";
                assertThat(results.series("crowd", name, Metric.ERRORS).isEmpty())
                        .as("no error with %s", name)
                        .isTrue();
                assertThat(results.series("crowd", name, Metric.HANDOVER_CPU).median())
                        .isPositive();
            }
            assertThat(results.series("crowd", "10 waiting", Metric.SCRIPTS_PER_SECOND)
                            .isEmpty())
                    .isFalse();
            assertThat(bench.marks()).anyMatch(mark -> mark.text().contains("10 000 waiting"));
        }
    }

    @Test
    void understandsItsArguments() {
        Options options = Options.parse(List.of("--quick", "--only", "solo,4x4", "--rounds", "2", "--out", "there"));

        assertThat(options.pace()).isEqualTo(Pace.QUICK.withRounds(2));
        assertThat(options.target()).isEqualTo(Path.of("there"));
        assertThat(options.scenarios())
                .extracting(scenario -> scenario.info().id())
                .containsExactly("solo", "4x4");
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--only", "nothing")));
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--only", "solo,clus")));
    }

    @Test
    void understandsWhatSeveralScenariosBeginWith() {
        assertThat(chosen("acknowledged")).containsExactly("acknowledged-16", "acknowledged-64");
        assertThat(chosen("cluster,solo"))
                .containsExactly("solo", "cluster-solo", "cluster-own-64", "cluster-4x1", "cluster-4x4");
        assertThat(chosen("one-64")).containsExactly("one-64");
    }

    private static List<String> chosen(String only) {
        return Options.parse(List.of("--only", only)).scenarios().stream()
                .map(scenario -> scenario.info().id())
                .toList();
    }
}
