/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The report for readers, as Markdown. */
public final class MarkdownReport {

    private final Results results;

    private final StringBuilder text = new StringBuilder();

    private MarkdownReport(Results results) {
        this.results = results;
    }

    public static String write(Results results, List<Mark> marks, Map<String, String> contenders) {
        MarkdownReport report = new MarkdownReport(results);
        report.line("# Distributed locks, side by side").line("");
        report.facts();
        report.exclusion();
        report.marks(marks);
        report.line("![Cycles per second](chart.svg)").line("");
        report.contenders(contenders);
        results.scenarios().forEach(report::scenario);
        report.glossary();
        return report.text.toString();
    }

    private void facts() {
        new TreeMap<>(results.facts()).forEach((name, value) -> line("- " + name + ": " + value));
        line("");
        line("Figures are medians over the rounds, ± half of the distance between the lowest and the highest round.");
        line("A ratio to `bare` is taken within a round, and its median over the rounds is given. Clients and Redis");
        line("share the processor, so trust ratios and counts more than absolute figures.");
        line("");
    }

    private void exclusion() {
        line("## Mutual exclusion").line("");
        List<Measurement> violations = results.violations();
        line(
                violations.isEmpty()
                        ? "No violation in " + results.measurements().size() + " measurements."
                        : "**VIOLATED**:");
        for (Measurement violation : violations) {
            line("- " + violation.scenario() + ", " + violation.contender() + ", round " + violation.round() + ": "
                    + Metric.VIOLATIONS.format(violation.values().getOrDefault(Metric.VIOLATIONS, 0.0)));
        }
        line("");
    }

    private void marks(List<Mark> marks) {
        line("## Marks").line("");
        row(Stream.of("scenario", "mark", "measured", "outcome"));
        row(Stream.of("---", "---", "---", "---"));
        for (Mark mark : marks) {
            Mark.Verdict verdict = mark.check().apply(results);
            row(Stream.of(mark.scenario(), mark.text(), verdict.measured(), outcome(verdict.outcome())));
        }
        line("");
    }

    private static String outcome(Mark.Outcome outcome) {
        return switch (outcome) {
            case MET -> "met";
            case MISSED -> "**missed**";
            case NOT_MEASURED -> "not measured";
        };
    }

    private void contenders(Map<String, String> contenders) {
        line("## Contenders").line("");
        contenders.forEach((id, description) -> line("- `" + id + "`: " + description));
        line("");
    }

    private void scenario(ScenarioInfo scenario) {
        line("## " + scenario.title()).line("");
        line("`" + scenario.id() + "`: " + scenario.description()).line("");
        List<String> names = results.contenders(scenario.id());
        List<Metric> columns = scenario.columns().stream()
                .filter(metric -> names.stream()
                        .anyMatch(name ->
                                !results.series(scenario.id(), name, metric).isEmpty()))
                .toList();
        row(Stream.concat(
                Stream.concat(Stream.of(""), scenario.ratio().stream().map(metric -> "× bare")),
                columns.stream().map(Metric::label)));
        row(Stream.concat(
                Stream.of("---"),
                Stream.concat(scenario.ratio().stream(), columns.stream()).map(metric -> "---:")));
        names.forEach(name -> row(Stream.concat(
                Stream.concat(
                        Stream.of(name), scenario.ratio().stream().map(metric -> ratio(scenario.id(), name, metric))),
                columns.stream().map(metric -> cell(scenario.id(), name, metric)))));
        line("");
        names.forEach(name -> results.remark(scenario.id(), name)
                .ifPresent(remark ->
                        line("- " + name + ": " + remark.lines().findFirst().orElse(""))));
        line("");
    }

    private String cell(String scenario, String contender, Metric metric) {
        Series series = results.series(scenario, contender, metric);
        if (series.isEmpty()) {
            return "";
        }
        boolean isMax = metric == Metric.WAIT_MAX || metric == Metric.HANDOVER_MAX || metric == Metric.STRETCH_MAX;
        if (isMax || metric == Metric.VIOLATIONS || metric == Metric.ERRORS) {
            return metric.format(series.max());
        }
        String spread = series.rounds().size() > 1 && metric == Metric.CYCLES
                ? String.format(Locale.ROOT, " ±%.0f%%", series.spread())
                : "";
        return metric.format(series.median()) + spread;
    }

    private String ratio(String scenario, String contender, Metric metric) {
        Series series = results.ratio(scenario, contender, Results.BASE_LINE, metric);
        return series.isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", series.median());
    }

    private void glossary() {
        line("## Columns").line("");
        for (Metric metric : Metric.values()) {
            line("- " + metric.label() + ": " + metric.meaning());
        }
    }

    private void row(Stream<String> cells) {
        line(cells.collect(Collectors.joining(" | ", "| ", " |")));
    }

    private MarkdownReport line(String line) {
        text.append(line).append('\n');
        return this;
    }
}
