/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A fleet on one server. */
class FleetTests extends FleetContract {

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
}
