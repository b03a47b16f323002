/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;

/** A fleet on one server. */
class FleetTests extends FleetContract {

    private static final TestRedis REDIS = TestRedis.single();

    FleetTests() {
        super(REDIS);
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }
}
