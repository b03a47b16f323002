/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.machine.Computer;
import io.distributedlock.benchmarks.report.JsonReport;
import io.distributedlock.benchmarks.report.Mark;
import io.distributedlock.benchmarks.report.MarkdownReport;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.SvgChart;
import io.distributedlock.benchmarks.scenarios.Bench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report as Markdown, as JSON, and as a chart, in one directory. */
record ReportFiles(Path directory) {

    static final String MARKDOWN = "report.md";

    static final String JSON = "report.json";

    static final String CHART = "chart.svg";

    void write(Bench bench) throws IOException {
        Results results = bench.results();
        Computer.describe(bench.counters().redisVersion()).forEach(results::fact);
        List<Mark> marks = bench.marks();
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(MARKDOWN), MarkdownReport.write(results, marks, contenders(results)));
        Files.writeString(directory.resolve(JSON), JsonReport.write(results, marks));
        Files.writeString(directory.resolve(CHART), SvgChart.write(results));
    }

    private static Map<String, String> contenders(Results results) {
        Map<String, String> descriptions = new LinkedHashMap<>();
        for (ContenderKind kind : ContenderKind.values()) {
            boolean measured = results.scenarios().stream()
                    .anyMatch(scenario -> results.contenders(scenario.id()).contains(kind.id()));
            if (measured) {
                descriptions.put(kind.id(), kind.description());
            }
        }
        return descriptions;
    }
}
