/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;

/** Instances on a cluster exchange messages. The locks that they wait for lie in two shards. */
class ClusterInstanceMessagingTests extends InstanceMessagingContract {

    private static final TestRedis REDIS = TestRedis.cluster();

    ClusterInstanceMessagingTests() {
        super(REDIS);
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }
}
