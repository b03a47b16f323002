/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.scenarios;

import io.distributedlock.benchmarks.contenders.ContenderKind;
import io.distributedlock.benchmarks.report.Mark.Verdict;
import io.distributedlock.benchmarks.report.Metric;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.Series;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Compares results with a mark. A figure that was not measured neither meets nor misses the mark. */
final class Check {

    private Check() {}

    /** A figure with one value per round. */
    interface Figure {

        Series of(Results results);

        default Figure andThen(UnaryOperator<Series> change) {
            return results -> {
                Series series = of(results);
                return series.isEmpty() ? series : change.apply(series);
            };
        }
    }

    static Figure value(String scenario, String contender, Metric metric) {
        return results -> results.series(scenario, contender, metric);
    }

    static Series divide(Series series, double divisor) {
        return new Series(series.rounds().stream().map(value -> value / divisor).toList());
    }

    static Function<Results, Verdict> atLeast(double limit, Figure figure) {
        return judge(figure, median -> median >= limit);
    }

    static Function<Results, Verdict> atMost(double limit, Figure figure) {
        return judge(figure, median -> median <= limit);
    }

    static Function<Results, Verdict> between(double low, double high, Figure figure) {
        return judge(figure, median -> median >= low && median <= high);
    }

    private static Function<Results, Verdict> judge(Figure figure, DoublePredicate met) {
        return results -> {
            Series series = figure.of(results);
            return series.isEmpty() ? Verdict.notMeasured() : Verdict.of(met.test(series.median()), text(series));
        };
    }

    private static String text(Series series) {
        String spread = series.rounds().size() > 1 ? String.format(Locale.ROOT, " ±%.0f%%", series.spread()) : "";
        return number(series.median()) + spread;
    }

    private static String number(double value) {
        if (value == 0) {
            return "0";
        }
        int places = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4;
        return String.format(Locale.ROOT, "%." + places + "f", value);
    }

    /**
     * Compares with the peer that hands the lock over to other JVMs most often. (The peers with the most cycles do not
     * hand the lock over at all, but acquire it again themselves.) A limit above one is a minimum of the ratio; a limit
     * below one is a maximum.
     */
    static Function<Results, Verdict> againstBestPeer(String scenario, double limit, Metric metric) {
        return results -> {
            Optional<String> best = peers(results, scenario).stream()
                    .max(Comparator.comparingDouble(peer ->
                            results.median(scenario, peer, Metric.REMOTE).orElse(0)));
            Series series = best.map(peer -> results.ratio(scenario, "ours", peer, metric))
                    .orElseGet(() -> new Series(List.of()));
            if (series.isEmpty()) {
                return Verdict.notMeasured();
            }
            boolean met = limit > 1 ? series.median() >= limit : series.median() <= limit;
            return Verdict.of(met, text(series) + " (" + best.orElse("") + ")");
        };
    }

    private static List<String> peers(Results results, String scenario) {
        return results.contenders(scenario).stream()
                .filter(contender -> !ContenderKind.of(contender).isOurs() && !contender.equals(Results.BASE_LINE))
                .toList();
    }

    /** Checks the longest time in all rounds for which one JVM kept the lock although others waited. */
    static Verdict stretch(Results results, String scenario, String contender, DoubleSupplier limit) {
        Series longest = results.series(scenario, contender, Metric.STRETCH_MAX);
        if (longest.isEmpty()) {
            return Verdict.notMeasured();
        }
        double limitMicros = limit.getAsDouble();
        Series p99 = results.series(scenario, contender, Metric.STRETCH_P99);
        String measured = String.format(
                Locale.ROOT,
                "max %.1f ms, p99 %.1f ms (limit %.1f)",
                longest.max() / 1000,
                p99.median() / 1000,
                limitMicros / 1000);
        return Verdict.of(longest.max() <= limitMicros, measured);
    }
}
