/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.redis.history.HandOvers;
import io.distributedlock.redis.history.HistoryReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a soak has to say in the end: all of its rounds together. */
final class SoakReport {

    private final long seed;

    private final long begin = System.nanoTime();

    private final String file;

    private final List<? extends FaultRow<?>> rows;

    private final Map<FaultRow<?>, Integer> hits = new HashMap<>();

    private final Map<FaultRow<?>, Integer> plays = new HashMap<>();

    private final HandOvers handOvers = new HandOvers();

    private final List<String> problems = new ArrayList<>();

    private int rounds;

    private long operations;

    private long unknown;

    private long holds;

    private long refused;

    private int overlaps;

    private int unexplained;

    private int latePasses;

    private int violations;

    private Duration worstCalm = Duration.ZERO;

    /** @param file the name of the report, without an ending */
    SoakReport(long seed, String file, List<? extends FaultRow<?>> rows) {
        this.seed = seed;
        this.file = file;
        this.rows = rows;
    }

    void played(FaultRow<?> row, boolean hit) {
        plays.merge(row, 1, Integer::sum);
        hits.merge(row, hit ? 1 : 0, Integer::sum);
    }

    void add(HistoryReport verdict) {
        rounds++;
        operations += verdict.operations();
        unknown += verdict.unknown();
        holds += verdict.grants();
        refused += verdict.refusedWrites();
        overlaps += verdict.overlaps();
        unexplained += verdict.unexplainedOverlaps();
        latePasses += verdict.latePasses();
        violations += verdict.violationsInAll();
        handOvers.add(verdict.handOvers());
        if (verdict.worstCalmHandOver().compareTo(worstCalm) > 0) {
            worstCalm = verdict.worstCalmHandOver();
        }
        if (verdict.outcome() != HistoryReport.Outcome.GREEN) {
            problems.add(verdict.toString());
        }
    }

    /** Faults that were never felt: with any of them, the run proves less than it says. */
    List<? extends FaultRow<?>> neverHit() {
        return rows.stream().filter(row -> hits.getOrDefault(row, 0) == 0).toList();
    }

    List<String> problems() {
        return problems;
    }

    private String outcome() {
        if (violations > 0) {
            return "RED";
        }
        return neverHit().isEmpty() && problems.isEmpty() ? "GREEN" : "INVALID";
    }

    private Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("outcome", outcome());
        figures.put("seed", seed);
        figures.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
        figures.put("rounds", rounds);
        figures.put("operations", operations);
        figures.put("holds", holds);
        figures.put("unknownPercent", percent(unknown, operations));
        figures.put("faults", hits.values().stream().mapToInt(Integer::intValue).sum());
        figures.put(
                "fewestHitsOfAFault",
                rows.stream().mapToInt(row -> hits.getOrDefault(row, 0)).min().orElse(0));
        figures.put("overlapsAfterLossOfData", overlaps - unexplained);
        figures.put("overlapsOtherwise", unexplained);
        figures.put("latePassesAfterLossOfData", latePasses);
        figures.put("staleWritesRefused", refused);
        figures.put("violations", violations);
        figures.put("handOverMillisP50", millis(handOvers.quantile(0.5)));
        figures.put("handOverMillisP99", millis(handOvers.quantile(0.99)));
        figures.put("handOverMillisMax", millis(handOvers.longest()));
        figures.put("handOverMillisMaxWithoutFaults", millis(worstCalm));
        return figures;
    }

    private static double percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(10_000.0 * part / whole) / 100.0;
    }

    private static double millis(Duration duration) {
        return Math.round(duration.toNanos() / 10_000.0) / 100.0;
    }

    String markdown() {
        List<String> lines = new ArrayList<>(List.of("| figure | value |", "|---|--:|"));
        figures().forEach((name, value) -> lines.add("| " + name + " | " + value + " |"));
        lines.addAll(List.of("", "| row | fault | model | played | hits |", "|---|---|---|--:|--:|"));
        for (FaultRow<?> row : rows) {
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %d | %d |",
                    row.id(),
                    row.what(),
                    row.model(),
                    plays.getOrDefault(row, 0),
                    hits.getOrDefault(row, 0)));
        }
        problems.forEach(problem -> lines.addAll(List.of("", "```", problem, "```")));
        return String.join("\n", lines) + "\n";
    }

    private String json() {
        Map<String, Object> all = figures();
        String perFault = rows.stream()
                .map(row -> "\"" + row.name() + "\": " + hits.getOrDefault(row, 0))
                .collect(Collectors.joining(", ", "{", "}"));
        return all.entrySet().stream()
                .map(each -> "  \"" + each.getKey() + "\": "
                        + (each.getValue() instanceof String text ? "\"" + text + "\"" : each.getValue()))
                .collect(Collectors.joining(",\n", "{\n", ",\n  \"hits\": " + perFault + "\n}\n"));
    }

    void write(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(file + ".md"), markdown());
            Files.writeString(directory.resolve(file + ".json"), json());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
