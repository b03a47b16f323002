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

/** The figures in the README are those of the report in docs. */
class ReadmeFiguresTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern ID = Pattern.compile("`([a-z0-9-]+)`");

    private static final Pattern NUMBER = Pattern.compile("^\\d+(?=$| )");

    /** The figure of a row of the README, and the column of the report that contains it. */
    private static final Map<String, String> COLUMNS = Map.of(
            "cycles/s", "cycles/s",
            "p99 wait, µs", "wait p99 µs",
            "longest wait, µs", "wait max µs",
            "commands per cycle", "commands/cycle");

    @Test
    void areThoseOfTheReport() throws IOException {
        String report = Files.readString(ROOT.resolve("docs/benchmarks/report.md"));
        List<String> table = rows(section());
        List<String> contenders = ids(table.get(0));
        List<String> expected = new ArrayList<>();
        for (String row : table.subList(2, table.size())) {
            expected.add(expected(row, contenders, report));
        }
        assertThat(table.subList(2, table.size())).containsExactlyElementsOf(expected);
        assertThat(section()).contains(fact(report, "CPU"));
    }

    private static String expected(String row, List<String> contenders, String report) {
        String label = row.split("\\|")[1].trim();
        List<String> scenario = rows(scenario(report, ids(label).get(0)));
        int column = cells(scenario.get(0)).indexOf(column(label));
        StringBuilder line = new StringBuilder("| ").append(label).append(" |");
        for (String contender : contenders) {
            String figure = scenario.stream()
                    .map(ReadmeFiguresTests::cells)
                    .filter(cells -> cells.get(0).equals(contender))
                    .map(cells -> cells.get(column))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("The report has no " + contender + " in " + label));
            line.append(' ').append(grouped(figure)).append(" |");
        }
        return line.toString();
    }

    private static String column(String label) {
        return COLUMNS.entrySet().stream()
                .filter(entry -> label.endsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findAny()
                .orElseThrow(() -> new AssertionError("No column of the report is known for the row " + label));
    }

    /** Writes a whole number as in the README, with a comma before each three digits. */
    private static String grouped(String figure) {
        return NUMBER.matcher(figure)
                .replaceFirst(number -> String.format(Locale.ROOT, "%,d", Long.parseLong(number.group())));
    }

    private static String scenario(String report, String id) {
        int start = report.indexOf("\n`" + id + "`: ");
        assertThat(start).as("%s in the report", id).isNotNegative();
        return report.substring(start, report.indexOf("\n## ", start));
    }

    private static String fact(String report, String name) {
        return report.lines()
                .filter(line -> line.startsWith("- " + name + ": "))
                .map(line -> line.substring(name.length() + 4))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.split("\\|", -1)).skip(1).map(String::trim).toList();
    }

    private static List<String> ids(String text) {
        return ID.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private static List<String> rows(String text) {
        return text.lines().filter(line -> line.startsWith("|")).toList();
    }

    private static String section() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        int start = readme.indexOf("## Performance");
        return readme.substring(start, readme.indexOf("\n## ", start + 1));
    }
}
