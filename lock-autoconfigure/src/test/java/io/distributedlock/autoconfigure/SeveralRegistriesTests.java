/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksHealthIndicator;
import io.distributedlock.observation.LockMetrics;
import io.distributedlock.testing.EmbeddedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Several meter registries, one of them that counts for all, and parts of the operators' libraries that are absent. */
class SeveralRegistriesTests {

    private final ApplicationContextRunner runner = TestRedis.withOperatorsView("spring.data.redis.port=1")
            .withBean("first", SimpleMeterRegistry.class)
            .withBean("second", SimpleMeterRegistry.class)
            .withPropertyValues("distributed-lock.command-timeout=200ms");

    /** As the composite registry of Spring Boot. */
    @Test
    void thePrimaryOneHasTheMetersAndPassesThemOn() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            runner.withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                    .withBean(
                            "all",
                            CompositeMeterRegistry.class,
                            CompositeMeterRegistry::new,
                            definition -> definition.setPrimary(true))
                    .run(context -> {
                        CompositeMeterRegistry all = context.getBean("all", CompositeMeterRegistry.class);
                        List<MeterRegistry> each = List.of(
                                context.getBean("first", MeterRegistry.class),
                                context.getBean("second", MeterRegistry.class));
                        each.forEach(all::add);
                        context.getBean(LockOperations.class)
                                .acquire(LockRequest.of("a"))
                                .close();

                        assertThat(each).allSatisfy(registry -> {
                            assertThat(registry.get("distributed.lock.hold")
                                            .timer()
                                            .count())
                                    .isOne();
                            assertThat(registry.get("distributed.lock.connected")
                                            .gauge()
                                            .value())
                                    .isOne();
                        });
                    });
        }
    }

    /** Locks do not fail because of their meters. */
    @Test
    void withoutAPrimaryOneThereAreNoMeters() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(LocksEndpoint.class)
                .doesNotHaveBean(LockMetrics.class));
    }

    @Test
    void actuatorDoesNotNeedMicrometer() {
        TestRedis.withOperatorsView("spring.data.redis.port=1")
                .withPropertyValues("distributed-lock.command-timeout=200ms")
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(LocksEndpoint.class)
                        .hasSingleBean(LocksHealthIndicator.class)
                        .doesNotHaveBean("lockMetrics")
                        .doesNotHaveBean("lockObservations"));
    }

    @Test
    void metersDoNotNeedActuator() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            runner.withPropertyValues("spring.data.redis.port=" + redis.port(), TestRedis.PATIENT)
                    .withBean(
                            "all",
                            SimpleMeterRegistry.class,
                            SimpleMeterRegistry::new,
                            definition -> definition.setPrimary(true))
                    .withClassLoader(new FilteredClassLoader(
                            "org.springframework.boot.actuate", "org.springframework.boot.health"))
                    .run(context -> {
                        assertThat(context)
                                .hasNotFailed()
                                .doesNotHaveBean("locksEndpoint")
                                .doesNotHaveBean("locksHealthIndicator");
                        context.getBean(LockOperations.class)
                                .acquire(LockRequest.of("a"))
                                .close();
                        assertThat(context.getBean("all", MeterRegistry.class)
                                        .get("distributed.lock.hold")
                                        .timer()
                                        .count())
                                .isOne();
                    });
        }
    }
}
