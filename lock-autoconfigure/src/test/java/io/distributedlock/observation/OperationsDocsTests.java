/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockActivity;
import io.distributedlock.LockListener.Attempt;
import io.distributedlock.LockListener.Command;
import io.distributedlock.LockListener.CommandOutcome;
import io.distributedlock.LockListener.End;
import io.distributedlock.LockListener.Loss;
import io.distributedlock.LockListener.Path;
import io.distributedlock.LockListener.Refusal;
import io.distributedlock.LockListener.Renewal;
import io.distributedlock.LockOrigin;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * What operators are given to copy asks for meters and tags that exist, under the names that Prometheus has for them.
 */
class OperationsDocsTests {

    private static final java.nio.file.Path DOCS = java.nio.file.Path.of("..", "docs");

    private static final Pattern SERIES = Pattern.compile("distributed_lock_[a-z_]+");

    private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=|!=|=~|!~)\"([^\"]*)\"");

    private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

    private static final Set<String> OF_THE_SCRAPE = Set.of("job", "instance");

    private final SimpleMeterRegistry registry = everyMeter();

    private static SimpleMeterRegistry everyMeter() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new LockGauges(registry, () -> new LockActivity("", true, true, List.of(), List.of()));
        LockMetrics metrics = new LockMetrics(registry);
        Attempt attempt = metrics.requested("a", LockOrigin.NONE);
        List.of(Path.values()).forEach(path -> attempt.acquired(path, 1));
        List.of(Refusal.values()).forEach(refusal -> attempt.refused(refusal, 1));
        List.of(End.values()).forEach(end -> attempt.ended(end, 1));
        List.of(Loss.values()).forEach(loss -> metrics.lost("a", LockOrigin.NONE, loss));
        for (Command command : Command.values()) {
            List.of(CommandOutcome.values()).forEach(answer -> metrics.commandCompleted(command, answer, 1));
        }
        List.of(Renewal.values()).forEach(metrics::renewed);
        return registry;
    }

    /** By the rules of Micrometer's naming convention for Prometheus. */
    private static List<String> seriesOf(Meter meter) {
        String name = meter.getId().getName().replace('.', '_');
        return switch (meter.getId().getType()) {
            case COUNTER -> List.of(name + "_total");
            case TIMER -> List.of(name + "_seconds_count", name + "_seconds_sum", name + "_seconds_max");
            default -> List.of(meter instanceof TimeGauge ? name + "_seconds" : name);
        };
    }

    static Object read(String file) throws IOException {
        return new Yaml().load(Files.readString(DOCS.resolve("operations").resolve(file)));
    }

    /** The values of all keys of that name, however deep. */
    static List<String> all(String key, Object node) {
        List<String> found = new ArrayList<>();
        if (node instanceof Map<?, ?> map) {
            map.forEach((name, value) -> {
                if (name.equals(key) && value instanceof String text) {
                    found.add(text);
                } else {
                    found.addAll(all(key, value));
                }
            });
        } else if (node instanceof Collection<?> list) {
            list.forEach(each -> found.addAll(all(key, each)));
        }
        return found;
    }

    private void assertExists(List<String> queries) {
        Set<String> series = new TreeSet<>();
        Set<String> keys = new HashSet<>(OF_THE_SCRAPE);
        Set<String> values = new HashSet<>();
        for (Meter meter : registry.getMeters()) {
            series.addAll(seriesOf(meter));
            for (Tag tag : meter.getId().getTags()) {
                keys.add(tag.getKey());
                values.add(tag.getKey() + "=" + tag.getValue());
            }
        }
        for (String query : queries) {
            assertThat(SERIES.matcher(query).results().map(match -> match.group()))
                    .as(query)
                    .isNotEmpty()
                    .isSubsetOf(series);
            Matcher matcher = MATCHER.matcher(query);
            while (matcher.find()) {
                String key = matcher.group(1);
                assertThat(keys).as(query).contains(key);
                if (!OF_THE_SCRAPE.contains(key)) {
                    assertThat(matcher.group(2).split("\\|"))
                            .as(query)
                            .allSatisfy(value -> assertThat(values).contains(key + "=" + value));
                }
            }
            GROUPING.matcher(query)
                    .results()
                    .forEach(by -> assertThat(by.group(1).split(", ")).as(query).isSubsetOf(keys));
        }
    }

    @Test
    void theAlertsQueryExistingMeters() throws IOException {
        List<String> queries = all("expr", read("alerts.yml"));

        assertThat(queries).hasSizeGreaterThan(5);
        assertExists(queries);
    }

    @Test
    void theRunbookCoversEachAlert() throws IOException {
        List<String> alerts = all("alert", read("alerts.yml"));
        String text = Files.readString(DOCS.resolve("operations.md"));
        String runbook = text.substring(text.indexOf("## Runbook"));

        assertThat(alerts)
                .hasSizeGreaterThan(5)
                .allSatisfy(alert -> assertThat(runbook).contains("`" + alert + "`"));
    }

    @Test
    void theDashboardQueriesExistingMeters() throws IOException {
        Object dashboard = read("dashboard.json");
        List<String> queries = new ArrayList<>(all("expr", dashboard));

        assertThat(queries).hasSizeGreaterThan(10);
        assertExists(queries);
    }

    @Test
    void theDashboardShowsEveryMeter() throws IOException {
        String queries = String.join("\n", all("expr", read("dashboard.json")));

        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(seriesOf(meter)).anyMatch(queries::contains));
    }

    @Test
    void theTableOfMetersIsComplete() throws IOException {
        String text = Files.readString(DOCS.resolve("operations.md"));
        Set<String> documented = Pattern.compile("^\\| `(distributed\\.lock\\.[a-z.]+)` \\|", Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(row -> row.group(1))
                .collect(TreeSet::new, Set::add, Set::addAll);

        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .containsAll(documented)
                .isSubsetOf(documented);
    }

    @Test
    void theTagsOfTheTableAreComplete() throws IOException {
        String text = Files.readString(DOCS.resolve("operations.md"));

        assertThat(registry.getMeters().stream()
                        .flatMap(meter -> meter.getId().getTags().stream())
                        .map(Tag::getValue)
                        .distinct())
                .allSatisfy(value -> assertThat(text).contains("`" + value + "`"));
    }
}
