/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The figures in the README are those of the report in docs. */
class ReadmeFiguresTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern ID = Pattern.compile("`([a-z0-9-]+)`");

    /** What a row of the README is about, and the figure that it takes from the report. */
    private static final Map<String, String> METRICS = Map.of(
            "cycles/s", "cycles",
            "p99 wait, µs", "wait_p99",
            "longest wait, µs", "wait_max",
            "commands per cycle", "commands");

    @Test
    void areThoseOfTheReport() throws IOException {
        JsonNode report = new JsonMapper().readTree(Files.readString(ROOT.resolve("docs/benchmarks/report.json")));
        List<String> table = table();
        List<String> contenders = ids(table.get(0));
        List<String> expected = new ArrayList<>();
        for (String row : table.subList(2, table.size())) {
            expected.add(expected(row, contenders, report));
        }
        assertThat(table.subList(2, table.size())).containsExactlyElementsOf(expected);
        assertThat(section()).contains(report.get("facts").get("CPU").asString());
    }

    private static String expected(String row, List<String> contenders, JsonNode report) {
        String label = row.split("\\|")[1].trim();
        String scenario = ids(label).get(0);
        String metric = METRICS.entrySet().stream()
                .filter(entry -> label.endsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findAny()
                .orElseThrow(() -> new AssertionError("Of which figure is this? " + label));
        StringBuilder line = new StringBuilder("| ").append(label).append(" |");
        for (String contender : contenders) {
            JsonNode figures =
                    scenario(report, scenario).get("contenders").get(contender).get(metric);
            line.append(' ').append(text(metric, figures)).append(" |");
        }
        return line.toString();
    }

    /** The longest of all rounds, or the median with its spread. */
    private static String text(String metric, JsonNode figures) {
        if (metric.equals("wait_max")) {
            double longest = 0;
            for (JsonNode round : figures.get("rounds")) {
                longest = Math.max(longest, round.asDouble());
            }
            return String.format(Locale.ROOT, "%,d", Math.round(longest));
        }
        double median = figures.get("median").asDouble();
        String text = metric.equals("commands")
                ? String.format(Locale.ROOT, "%.2f", median)
                : String.format(Locale.ROOT, "%,d", Math.round(median));
        return text
                + String.format(Locale.ROOT, " ±%.0f%%", figures.get("spread").asDouble());
    }

    private static JsonNode scenario(JsonNode report, String id) {
        for (JsonNode each : report.get("scenarios")) {
            if (each.get("id").asString().equals(id)) {
                return each;
            }
        }
        throw new AssertionError("The report has no " + id);
    }

    private static List<String> ids(String text) {
        return ID.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private static List<String> table() throws IOException {
        return Arrays.stream(section().split("\n"))
                .filter(line -> line.startsWith("|"))
                .toList();
    }

    private static String section() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        int start = readme.indexOf("## Performance");
        return readme.substring(start, readme.indexOf("\n## ", start + 1));
    }
}
