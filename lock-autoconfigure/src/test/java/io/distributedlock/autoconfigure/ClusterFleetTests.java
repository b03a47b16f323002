/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;

/** A fleet on a cluster. */
class ClusterFleetTests extends FleetContract {

    private static final TestRedis REDIS = TestRedis.cluster();

    ClusterFleetTests() {
        super(REDIS);
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }
}
