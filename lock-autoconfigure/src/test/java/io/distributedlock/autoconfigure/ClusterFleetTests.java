/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A fleet on a cluster. */
class ClusterFleetTests extends FleetContract {

    private static TestRedis redis;

    ClusterFleetTests() {
        super(redis, 1_200);
    }

    @BeforeAll
    static void start() {
        redis = TestRedis.cluster();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }
}
