/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import io.distributedlock.benchmarks.scenarios.Bench;
import io.distributedlock.benchmarks.scenarios.Progress;
import io.distributedlock.benchmarks.scenarios.Scenario;
import java.io.IOException;
import java.util.List;

/** Runs the scenarios with its own Redis and writes the report. The exit code is 1 if mutual exclusion was violated. */
public final class Benchmarks {

    private Benchmarks() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws IOException {
        Options options;
        try {
            options = Options.parse(List.of(args));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(run(options) ? 0 : 1);
    }

    @SuppressWarnings("SystemOut")
    private static boolean run(Options options) throws IOException {
        double expected = options.scenarios().stream()
                .mapToDouble(scenario -> scenario.seconds(options.pace()))
                .sum();
        Progress progress = new Progress(System.out, expected);
        try (Bench bench = new Bench(options.pace(), options.contenders(), progress)) {
            for (Scenario scenario : options.scenarios()) {
                bench.run(scenario);
                // Written after each scenario, so that the results survive if the run is ended.
                new ReportFiles(options.target()).write(bench);
            }
            progress.end("Report: "
                    + options.target()
                            .resolve(ReportFiles.MARKDOWN)
                            .toAbsolutePath()
                            .normalize());
            return !bench.isExclusionViolated();
        }
    }
}
