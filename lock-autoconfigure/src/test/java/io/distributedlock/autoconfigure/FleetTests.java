/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.InstanceReport;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMonitor;
import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A fleet on one server. */
class FleetTests extends FleetContract {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static TestRedis redis;

    FleetTests() {
        super(redis, 10_000);
    }

    @BeforeAll
    static void start() {
        redis = TestRedis.single();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** It has the same channels and other locks. */
    @Test
    void anInstanceWithAnotherDatabaseIsOfAnotherFleet() {
        ApplicationContextRunner other = redis.application().withPropertyValues("spring.data.redis.database=1");
        redis.application()
                .run(one -> redis.application()
                        .run(two -> other.run(staging -> {
                            String name = monitor(staging).activity().instance();
                            try (LockHandle held = staging.getBean(LockOperations.class)
                                    .acquire(LockRequest.of("order").waitUpTo(LONG))) {
                                await().atMost(LONG)
                                        .untilAsserted(() -> assertThat(monitor(one)
                                                        .fleet("", 500)
                                                        .instances())
                                                .extracting(InstanceReport::instance)
                                                .contains(
                                                        monitor(two).activity().instance())
                                                .doesNotContain(name));
                                for (int i = 0; i < 5; i++) {
                                    assertThat(monitor(one).fleet("", 500).instances())
                                            .extracting(InstanceReport::instance)
                                            .doesNotContain(name);
                                }
                                assertThat(held.isHeld()).isTrue();
                            }
                        })));
    }

    private static LockMonitor monitor(ApplicationContext context) {
        return context.getBean(LockMonitor.class);
    }
}
