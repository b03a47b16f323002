package io.distributedlock.benchmarks;

import io.distributedlock.benchmarks.scenarios.Catalog;
import io.distributedlock.benchmarks.scenarios.Pace;
import io.distributedlock.benchmarks.scenarios.Scenario;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * What the command line says.
 *
 * @param pace how long everything takes
 * @param only ids of the scenarios to run, or empty for all
 * @param target the directory for the report
 */
record Options(Pace pace, Set<String> only, Path target) {

    static final String USAGE = """
            Usage: run [--quick] [--rounds <n>] [--only <scenario>,...] [--out <directory>]
            Scenarios: %s
            """;

    static Options parse(List<String> arguments) {
        Pace pace = Pace.FULL;
        Set<String> only = Set.of();
        Path target = Path.of("target", "benchmarks");
        for (Iterator<String> words = arguments.iterator(); words.hasNext(); ) {
            switch (words.next()) {
                case "--quick" -> pace = Pace.QUICK;
                case "--rounds" -> pace = pace.withRounds(Integer.parseInt(next(words)));
                case "--only" -> only = Set.of(next(words).split(",", -1));
                case "--out" -> target = Path.of(next(words));
                default -> throw new IllegalArgumentException(usage());
            }
        }
        return new Options(pace, only, target).checked();
    }

    private static String next(Iterator<String> words) {
        if (!words.hasNext()) {
            throw new IllegalArgumentException(usage());
        }
        return words.next();
    }

    private static String usage() {
        return USAGE.formatted(String.join(" ", ids()));
    }

    private static List<String> ids() {
        return Catalog.all().stream().map(scenario -> scenario.info().id()).toList();
    }

    private Options checked() {
        if (!ids().containsAll(only)) {
            throw new IllegalArgumentException(usage());
        }
        return this;
    }

    List<Scenario> scenarios() {
        List<Scenario> chosen = pace.quick() && only.isEmpty() ? Catalog.quick() : Catalog.all();
        return chosen.stream()
                .filter(scenario ->
                        only.isEmpty() || only.contains(scenario.info().id()))
                .toList();
    }
}
