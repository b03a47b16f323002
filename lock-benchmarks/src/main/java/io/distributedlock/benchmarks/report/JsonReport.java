/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report for programs: the medians, the spreads, the figures of every round, and the marks. */
public final class JsonReport {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonReport() {}

    public static String write(Results results, List<Mark> marks) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("facts", results.facts());
        root.put("marks", marks.stream().map(mark -> mark(mark, results)).toList());
        root.put(
                "scenarios",
                results.scenarios().stream()
                        .map(scenario -> scenario(scenario, results))
                        .toList());
        return MAPPER.writeValueAsString(root) + "\n";
    }

    private static Map<String, Object> mark(Mark mark, Results results) {
        Mark.Verdict verdict = mark.check().apply(results);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("scenario", mark.scenario());
        json.put("mark", mark.text());
        json.put("measured", verdict.measured());
        json.put("outcome", verdict.outcome().name().toLowerCase(Locale.ROOT));
        return json;
    }

    private static Map<String, Object> scenario(ScenarioInfo scenario, Results results) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", scenario.id());
        json.put("title", scenario.title());
        json.put("description", scenario.description());
        Map<String, Object> contenders = new LinkedHashMap<>();
        for (String contender : results.contenders(scenario.id())) {
            contenders.put(contender, contender(scenario.id(), contender, results));
        }
        json.put("contenders", contenders);
        return json;
    }

    private static Map<String, Object> contender(String scenario, String contender, Results results) {
        Map<String, Object> json = new LinkedHashMap<>();
        results.remark(scenario, contender).ifPresent(remark -> json.put("remark", remark));
        for (Metric metric : Metric.values()) {
            Series series = results.series(scenario, contender, metric);
            if (!series.isEmpty()) {
                Map<String, Object> figures = new LinkedHashMap<>();
                figures.put("median", series.median());
                figures.put("spread", series.spread());
                figures.put("rounds", series.rounds());
                Series ratio = results.ratio(scenario, contender, Results.BASE_LINE, metric);
                if (!ratio.isEmpty()) {
                    figures.put("toBare", ratio.median());
                }
                json.put(metric.name().toLowerCase(Locale.ROOT), figures);
            }
        }
        return json;
    }
}
