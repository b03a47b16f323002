/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.distributedlock.actuate.InstanceLabel;
import io.distributedlock.engine.EngineSettings;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.RandomValuePropertySource;
import org.springframework.core.Ordered;
import org.springframework.mock.env.MockEnvironment;

class DistributedLockPropertiesTests {

    @Test
    void hasTheDefaultsOfTheEngine() {
        DistributedLockProperties properties = bind(Map.of());
        assertThat(properties.toSettings()).isEqualTo(EngineSettings.DEFAULTS);
        assertThat(properties.enabled()).isTrue();
        assertThat(properties.keyPrefix()).isEqualTo("lock:");
        assertThat(properties.order()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 1);
    }

    /** An application may have a switch of that name. */
    @Test
    void aValueOfThePrefixItselfIsNoneOfThem() {
        MockEnvironment environment = new MockEnvironment().withProperty("distributed-lock", "on");

        assertThat(DistributedLockProperties.of(environment).lease()).isEqualTo(EngineSettings.DEFAULTS.lease());
    }

    @Test
    void aLabelWithAPlaceholderThatCannotBeResolvedIsRefused() {
        assertThatThrownBy(() -> bind(settings("instance-label", "${NO_SUCH_VARIABLE}")))
                .rootCause()
                .hasMessageContaining("has a placeholder that cannot be resolved");
    }

    @Test
    void aRandomLabelIsTheSameEachTime() {
        MockEnvironment environment = new MockEnvironment();
        environment.getPropertySources().addLast(new RandomValuePropertySource());
        environment.setProperty("distributed-lock.instance-label", "till-${random.value}");
        InstanceLabel label = new InstanceLabel(environment);

        assertThat(label.text()).startsWith("till-").isEqualTo(label.text());
    }

    @Test
    void bindsEveryProperty() {
        DistributedLockProperties properties = bind(settings(
                "enabled", "false",
                "key-prefix", "shop:",
                "lease", "1m",
                "wait", "-1",
                "max-hold", "1h",
                "order", "5",
                "command-timeout", "3s",
                "fairness.max-passes", "0",
                "fairness.max-batch", "20ms",
                "shutdown-grace", "0",
                "retention", "2s",
                "release", "async",
                "max-waiters", "7",
                "keep-until-completion", "false",
                "replicas.acknowledge", "2",
                "replicas.timeout", "500ms"));
        assertThat(properties.replicas()).isEqualTo(new DistributedLockProperties.Replicas(2, Duration.ofMillis(500)));
        assertThat(properties.enabled()).isFalse();
        assertThat(properties.keyPrefix()).isEqualTo("shop:");
        assertThat(properties.order()).isEqualTo(5);
        assertThat(properties.keepUntilCompletion()).isFalse();
        assertThat(properties.toSettings())
                .isEqualTo(new EngineSettings(
                        Duration.ofMinutes(1),
                        Duration.ofMillis(-1),
                        Duration.ofHours(1),
                        Duration.ofSeconds(3),
                        0,
                        Duration.ofMillis(20),
                        Duration.ZERO,
                        Duration.ofSeconds(2),
                        EngineSettings.Release.ASYNC,
                        7));
    }

    private static Map<String, String> settings(String... namesAndValues) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            settings.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return settings;
    }

    @Test
    void acceptsTheShortestAndTheLongestLease() {
        assertThat(bind(Map.of("lease", "10ms")).lease()).hasMillis(10);
        assertThat(bind(Map.of("lease", "365d")).lease()).hasDays(365);
    }

    @ParameterizedTest
    @CsvSource({
        "3s, 1000ms, 2s,",
        "3s, 1001ms, 2s, must be at most a third of distributed-lock.lease",
        "30s, 1900ms, 2s,",
        "30s, 1901ms, 2s, must be at least 100ms less than distributed-lock.command-timeout",
        "30s, 106751991167300d, 2s, must be at most a third of distributed-lock.lease"
    })
    void limitsTheTimeForConfirmations(String lease, String timeout, String commandTimeout, @Nullable String rule) {
        Map<String, String> settings =
                settings("lease", lease, "replicas.timeout", timeout, "command-timeout", commandTimeout);
        assertThat(bind(settings).replicas().acknowledge()).isZero();
        settings.put("replicas.acknowledge", "1");
        if (rule == null) {
            assertThat(bind(settings).replicas().acknowledge()).isOne();
        } else {
            assertThatThrownBy(() -> bind(settings)).rootCause().hasMessageContaining(rule);
        }
    }

    @Test
    void describesEveryPropertyForTheIde() throws IOException {
        try (InputStream metadata = Objects.requireNonNull(
                getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            DocumentContext json = JsonPath.parse(metadata);
            Set<String> names =
                    KnownProperties.of(DistributedLockProperties.class).names();
            assertThat(json.<List<String>>read("$.properties[*].name").stream()
                            .filter(name -> name.startsWith(DistributedLockProperties.PREFIX)))
                    .contains("distributed-lock.lease", "distributed-lock.wait", "distributed-lock.fairness.max-passes")
                    .containsExactlyInAnyOrderElementsOf(names.stream()
                            .map(DistributedLockProperties.PREFIX::concat)
                            .toList());
            assertThat(json.<List<String>>read("$.properties[*].description"))
                    .hasSizeGreaterThanOrEqualTo(names.size())
                    .allSatisfy(description -> assertThat(description).isNotBlank());
        }
    }

    private static DistributedLockProperties bind(Map<String, String> values) {
        MapConfigurationPropertySource source = new MapConfigurationPropertySource();
        values.forEach((name, value) -> source.put("distributed-lock." + name, value));
        return new Binder(source).bindOrCreate("distributed-lock", DistributedLockProperties.class);
    }
}
