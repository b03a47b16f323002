/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.List;
import java.util.Locale;

/**
 * A picture of the scenarios with a load: cycles per second to the left, where long is good, and the 99th percentile of
 * the wait to the right, where short is good. Linear scales, one per scenario.
 */
public final class SvgChart {

    private static final int WIDTH = 1100;

    private static final int LABEL = 150;

    private static final int BAR = 340;

    private static final int LINE = 18;

    private static final int GAP = 46;

    private final Results results;

    private final StringBuilder body = new StringBuilder();

    private int y = 70;

    private SvgChart(Results results) {
        this.results = results;
    }

    public static String write(Results results) {
        SvgChart chart = new SvgChart(results);
        results.scenarios().stream()
                .filter(scenario -> scenario.columns().contains(Metric.CYCLES))
                .forEach(chart::panel);
        return """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d"
                     font-family="sans-serif" font-size="12">
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                <text x="20" y="30" font-size="18" font-weight="bold">Distributed locks, side by side</text>
                <text x="%3$d" y="52" fill="#555555">cycles/s (longer is better)</text>
                <text x="%4$d" y="52" fill="#555555">p99 wait in ms (shorter is better)</text>
                %5$s</svg>
                """.formatted(WIDTH, chart.y, LABEL, right(), chart.body);
    }

    private static int right() {
        return LABEL + BAR + 130;
    }

    private void panel(ScenarioInfo scenario) {
        List<String> contenders = results.contenders(scenario.id());
        body.append(
                "<text x=\"20\" y=\"%d\" font-weight=\"bold\">%s</text>%n".formatted(y + 8, escape(scenario.title())));
        y += 18;
        double mostCycles = max(scenario.id(), contenders, Metric.CYCLES);
        double longestWait = max(scenario.id(), contenders, Metric.WAIT_P99);
        for (String contender : contenders) {
            label(contender);
            bar(LABEL, contender, value(scenario.id(), contender, Metric.CYCLES), mostCycles, "%,.0f");
            bar(
                    right(),
                    contender,
                    value(scenario.id(), contender, Metric.WAIT_P99) / 1000,
                    longestWait / 1000,
                    "%.2f");
            y += LINE;
        }
        y += GAP - LINE;
    }

    private void label(String contender) {
        body.append("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
                .formatted(LABEL - 8, y + 12, escape(contender)));
    }

    private void bar(int x, String contender, double value, double max, String format) {
        if (Double.isNaN(value)) {
            return;
        }
        int length = max > 0 ? (int) Math.max(1, value / max * BAR) : 1;
        body.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n"
                .formatted(x, y + 2, length, LINE - 5, color(contender)));
        body.append("<text x=\"%d\" y=\"%d\" fill=\"#333333\">%s</text>%n"
                .formatted(x + length + 5, y + 12, String.format(Locale.ROOT, format, value)));
    }

    private static String color(String contender) {
        if (contender.startsWith("ours")) {
            return "#1a7f5a";
        }
        return contender.equals(Results.BASE_LINE) ? "#9aa3ad" : "#c98a3b";
    }

    private double value(String scenario, String contender, Metric metric) {
        return results.median(scenario, contender, metric).orElse(Double.NaN);
    }

    private double max(String scenario, List<String> contenders, Metric metric) {
        return contenders.stream()
                .mapToDouble(contender -> value(scenario, contender, metric))
                .filter(value -> !Double.isNaN(value))
                .max()
                .orElse(0);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
