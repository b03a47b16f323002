/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.scenarios.Catalog;
import io.distributedlock.benchmarks.scenarios.Pace;
import io.distributedlock.benchmarks.scenarios.Scenario;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * The options of the command line.
 *
 * @param pace the durations and counts of the run
 * @param only ids of the scenarios to run, or beginnings of ids, or empty for all
 * @param contenders ids of the contenders to run, or empty for all
 * @param target the directory for the report
 */
record Options(Pace pace, Set<String> only, Set<String> contenders, Path target) {

    static final String USAGE = """
            Usage: run [--quick] [--rounds <n>] [--only <scenario>,...] [--contenders <contender>,...]
                       [--out <directory>]
            Scenarios: %s
            Contenders: %s
            """;

    static Options parse(List<String> arguments) {
        Pace pace = Pace.FULL;
        int rounds = 0;
        Set<String> only = Set.of();
        Set<String> contenders = Set.of();
        Path target = Path.of("target", "benchmarks");
        for (Iterator<String> words = arguments.iterator(); words.hasNext(); ) {
            switch (words.next()) {
                case "--quick" -> pace = Pace.QUICK;
                case "--rounds" -> rounds = Integer.parseInt(next(words));
                case "--only" -> only = Set.of(next(words).split(",", -1));
                case "--contenders" -> contenders = Set.of(next(words).split(",", -1));
                case "--out" -> target = Path.of(next(words));
                default -> throw new IllegalArgumentException(usage());
            }
        }
        return new Options(rounds == 0 ? pace : pace.withRounds(rounds), only, contenders, target).checked();
    }

    private static String next(Iterator<String> words) {
        if (!words.hasNext()) {
            throw new IllegalArgumentException(usage());
        }
        return words.next();
    }

    private static String usage() {
        return USAGE.formatted(String.join(" ", ids()), String.join(" ", kinds()));
    }

    private static List<String> ids() {
        return Catalog.all().stream().map(scenario -> scenario.info().id()).toList();
    }

    private static List<String> kinds() {
        return Arrays.stream(ContenderKind.values()).map(ContenderKind::id).toList();
    }

    /** A word is the id of a scenario, or the beginning of several ids up to a hyphen. */
    private static boolean isFor(String word, String id) {
        return ids().contains(word) ? id.equals(word) : id.startsWith(word + "-");
    }

    private static boolean isKnown(String word) {
        return ids().stream().anyMatch(id -> isFor(word, id));
    }

    private Options checked() {
        if (!only.stream().allMatch(Options::isKnown) || !kinds().containsAll(contenders)) {
            throw new IllegalArgumentException(usage());
        }
        return this;
    }

    List<Scenario> scenarios() {
        List<Scenario> chosen = pace.quick() && only.isEmpty() ? Catalog.quick() : Catalog.all();
        return chosen.stream()
                .filter(scenario -> only.isEmpty()
                        || only.stream()
                                .anyMatch(word -> isFor(word, scenario.info().id())))
                .toList();
    }
}
