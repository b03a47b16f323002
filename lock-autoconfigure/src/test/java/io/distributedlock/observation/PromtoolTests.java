/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus' own tool reads what operators are given to copy, and plays incidents to the alert rules. */
class PromtoolTests {

    private static final Path OPERATIONS = Path.of("..", "docs", "operations").toAbsolutePath();

    private static final Path INCIDENTS = Path.of("src", "test", "resources", "operations", "alerts-tests.yml");

    @TempDir
    private Path directory;

    @BeforeAll
    static void isInstalled() {
        boolean found = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "promtool")));
        if (!found) {
            System.out.println(
                    "promtool is missing (Debian: apt-get install prometheus): the alert rules are not tried.");
        }
        assumeTrue(found, "needs promtool");
    }

    private void run(String... arguments) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }

    @Test
    void theAlertRulesAreValid() throws Exception {
        run("check", "rules", OPERATIONS.resolve("alerts.yml").toString());
    }

    @Test
    void eachRuleFiresForItsIncidentAndNoneInAQuietHour() throws Exception {
        run("test", "rules", INCIDENTS.toString());
    }

    @Test
    void eachRuleHasAnIncident() throws Exception {
        String incidents = Files.readString(INCIDENTS);
        for (String rule : OperationsDocsTests.all("alert", OperationsDocsTests.read("alerts.yml"))) {
            assertThat(incidents).contains("alertname: " + rule + "\n        exp_alerts:");
        }
    }

    /** Grafana's variables stand for a job and for a time. */
    @Test
    void theQueriesOfTheDashboardAreValid() throws Exception {
        List<String> queries = OperationsDocsTests.all("expr", OperationsDocsTests.read("dashboard.json"));
        String rules = queries.stream()
                .map(query -> query.replace("$job", ".*").replace("$__rate_interval", "5m"))
                .map(query -> "      - record: a\n        expr: '" + query + "'\n")
                .distinct()
                .collect(Collectors.joining("", "groups:\n  - name: dashboard\n    rules:\n", ""));
        Path file = Files.writeString(directory.resolve("dashboard.yml"), rules);

        assertThat(queries).hasSizeGreaterThan(10);
        run("check", "rules", "--lint=none", file.toString());
    }
}
