/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksHealthIndicator;
import io.distributedlock.observation.LockGauges;
import io.distributedlock.observation.LockMetrics;
import io.distributedlock.observation.LockObservations;
import io.distributedlock.testing.EmbeddedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application of two contexts: each part of the operators' view exists once, wherever its conditions are met. */
class OperatorsViewOfChildContextTests {

    private static final List<Class<?>> PARTS = List.of(
            LocksEndpoint.class,
            LocksHealthIndicator.class,
            LockMetrics.class,
            LockGauges.class,
            LockObservations.class);

    private static EmbeddedRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static ApplicationContextRunner locks() {
        return TestRedis.withOperatorsView("spring.data.redis.port=" + redis.port());
    }

    private static ApplicationContextRunner registries(ApplicationContextRunner runner) {
        return runner.withBean(SimpleMeterRegistry.class)
                .withBean("observations", ObservationRegistry.class, ObservationRegistry::create);
    }

    @Test
    void aChildUsesThePartsOfItsParent() {
        registries(locks())
                .run(parent -> locks().withParent(parent).run(child -> {
                    assertThat(child).hasNotFailed();
                    for (Class<?> part : PARTS) {
                        assertThat(parent.getBeanNamesForType(part))
                                .as("%s", part)
                                .hasSize(1);
                        assertThat(child.getBeanNamesForType(part))
                                .as("%s", part)
                                .isEmpty();
                    }
                }));
    }

    @Test
    void locksOfAChildAreCountedInTheRegistryOfItsParent() {
        registries(new ApplicationContextRunner()).run(parent -> {
            MeterRegistry registry = parent.getBean(MeterRegistry.class);
            locks().withParent(parent).run(child -> {
                for (Class<?> part : PARTS) {
                    assertThat(child.getBeanNamesForType(part)).as("%s", part).hasSize(1);
                }
                try (LockHandle held = child.getBean(LockOperations.class).acquire(LockRequest.of("a"))) {
                    assertThat(held.isHeld()).isTrue();
                    assertThat(held(registry)).isOne();
                }
                assertThat(registry.get("distributed.lock.hold").timer().count())
                        .isOne();
            });
        });
    }

    /** Otherwise the series would show the state of an instance that has stopped, instead of its successor. */
    @Test
    void theNextChildReplacesTheGaugesOfTheOneBefore() {
        registries(new ApplicationContextRunner()).run(parent -> {
            MeterRegistry registry = parent.getBean(MeterRegistry.class);
            locks().withParent(parent)
                    .run(child -> child.getBean(LockOperations.class).acquire(LockRequest.of("a")));
            assertThat(registry.find("distributed.lock.held").meter()).isNull();
            assertThat(registry.find("distributed.lock.waiting.oldest").meter()).isNull();

            locks().withParent(parent).run(child -> {
                try (LockHandle held = child.getBean(LockOperations.class).acquire(LockRequest.of("b"))) {
                    assertThat(held.isHeld()).isTrue();
                    assertThat(held(registry)).isOne();
                }
            });
        });
    }

    private static double held(MeterRegistry registry) {
        return registry.get("distributed.lock.held").gauge().value();
    }
}
