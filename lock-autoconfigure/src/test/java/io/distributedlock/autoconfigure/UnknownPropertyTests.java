/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.distributedlock.interceptor.RecordingLocks;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A typo in a property or variable fails the start, and what was meant is said. */
class UnknownPropertyTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withBean(RecordingLocks.class);

    @ParameterizedTest
    @CsvSource({
        "wait-up-to, wait",
        "leese, lease",
        "lease-time, lease",
        "prefix, key-prefix",
        "fairness.max-pass, fairness.max-passes",
        "max-passes, fairness.max-passes",
        "transaction.gard, transaction.guard",
        "max.hold, max-hold",
        "key.prefix, key-prefix",
        "fairness-max-passes, fairness.max-passes",
    })
    void suggestsTheSimilarProperty(String property, String meant) {
        FailureAnalysis analysis = FailureReport.of(runner.withPropertyValues("distributed-lock." + property + "=1"));
        assertThat(analysis.getDescription())
                .startsWith("There is no property 'distributed-lock." + property + "' (\"distributed-lock." + property
                        + "\" from property source");
        assertThat(analysis.getAction()).startsWith("Did you mean 'distributed-lock." + meant + "'?");
    }

    @Test
    void listsKnownPropertiesIfNoneIsSimilar() {
        FailureAnalysis analysis = FailureReport.of(
                runner.withPropertyValues("distributed-lock.colour=1", "distributed-lock.enabled=false"));
        assertThat(analysis.getAction())
                .startsWith("Remove 'distributed-lock.colour'. Known are, after 'distributed-lock.': ")
                .contains("fairness.max-batch, ", "key-prefix, ", "wait");
    }

    static Stream<String> known() {
        return KnownProperties.of(DistributedLockProperties.class).names().stream();
    }

    @ParameterizedTest
    @MethodSource("known")
    void knowsEachPropertyInEachForm(String name) {
        KnownProperties known = KnownProperties.of(DistributedLockProperties.class);
        assertThat(known.contains(name)).isTrue();
        assertThat(known.contains(name.replace("-", "_"))).isTrue();
        assertThat(known.contains(name.replace("-", "").toUpperCase(java.util.Locale.ROOT)))
                .isTrue();
        assertThat(known.contains(name + "x")).isFalse();
        assertThat(known.nearestTo(name + "x")).isEqualTo(name);
    }

    @Test
    void takesOtherFormsOfAName() {
        runner.withPropertyValues(
                        "distributed-lock.maxHold=1s",
                        "distributed-lock.command_timeout=1s",
                        "distributed-lock.FAIRNESS.maxPasses=3",
                        "other.lock=1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DistributedLockProperties.class)
                                    .fairness()
                                    .maxPasses())
                            .isEqualTo(3);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISTRIBUTED_LOCK_LEESE",
                "DISTRIBUTEDLOCK_LEESE",
                "distributed_lock_leese",
                "distributedlock_leese",
                "distributed-lock.leese",
                "distributedLock.leese"
            })
    void reportsAnUnknownVariableToo(String variable) {
        FailureAnalysis analysis = FailureReport.of(withVariables(variable));
        assertThat(analysis.getDescription())
                .isEqualTo("There is no property '" + variable + "' (an environment variable).");
        assertThat(analysis.getAction()).startsWith("Did you mean 'distributed-lock.lease'?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISTRIBUTED_LOCK_KEY_PREFIX",
                "DISTRIBUTEDLOCK_KEYPREFIX",
                "DISTRIBUTED_LOCK_SERVICE_HOST",
                "DISTRIBUTED_LOCK_PORT",
                "DISTRIBUTED_LOCK_REDIS_PORT_6379_TCP_ADDR",
                "DISTRIBUTED_LOCKSMITH"
            })
    void takesVariablesThatAreKnownOrOfAServiceOfThatName(String variable) {
        withVariables(variable).run(context -> assertThat(context).hasNotFailed());
    }

    /** A variable in another form would have no effect. */
    @ParameterizedTest
    @CsvSource({
        "DISTRIBUTED_LOCK_KEY_PREFIX, true",
        "DISTRIBUTEDLOCK_KEYPREFIX, true",
        "distributed_lock_key_prefix, true",
        "distributedlock_keyprefix, true",
        "distributed-lock.key-prefix, true",
        "distributedLock.keyPrefix, true",
        "DISTRIBUTED_LOCK_KEYPREFIX, false",
        "DISTRIBUTEDLOCK_KEY_PREFIX, false",
        "Distributed_Lock_Key_Prefix, false"
    })
    void acceptsExactlyTheFormsOfAVariableThatAreBound(String variable, boolean bound) {
        if (bound) {
            withVariables(variable)
                    .run(context -> assertThat(context.getBean(DistributedLockProperties.class)
                                    .keyPrefix())
                            .isEqualTo("a"));
        } else {
            assertThat(FailureReport.of(withVariables(variable)).getAction())
                    .startsWith("Did you mean 'distributed-lock.key-prefix'?");
            assertThat(Binder.get(environmentWith(variable))
                            .bind("distributed-lock.key-prefix", String.class)
                            .isBound())
                    .isFalse();
        }
    }

    private static Environment environmentWith(String variable) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(variables(variable));
        return environment;
    }

    private ApplicationContextRunner withVariables(String name) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables(name)));
    }

    private static SystemEnvironmentPropertySource variables(String name) {
        return new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, "a"));
    }

    /** In YAML, a group whose entries are all comments. */
    @Test
    void acceptsAGroupWithoutEntries() {
        assumeThat(SpringBootVersion.getVersion())
                .as("Spring Boot 4.0 does not bind such a group, whatever the library does")
                .doesNotStartWith("4.0.");
        runner.withPropertyValues("distributed-lock.fairness=", "distributed-lock.transaction=")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DistributedLockProperties.class)
                                    .transaction()
                                    .guard())
                            .isTrue();
                });
    }

    @Test
    void refusesAValueOfAGroup() {
        assertThat(FailureReport.of(runner.withPropertyValues("distributed-lock.fairness=32"))
                        .getDescription())
                .startsWith("There is no property 'distributed-lock.fairness'");
    }

    record Open(Map<String, String> labels, java.util.List<String> hosts, int number) {}

    @Test
    void leavesKeysOfMapsAndListsAlone() {
        KnownProperties known = KnownProperties.of(Open.class);
        assertThat(known.contains("labels.anything.at-all")).isTrue();
        assertThat(known.contains("hosts[0]")).isTrue();
        assertThat(known.contains("number")).isTrue();
        assertThat(known.contains("number.more")).isFalse();
    }
}
