/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Instances on a cluster exchange messages. The locks that they wait for lie in two shards. */
class ClusterInstanceMessagingTests extends InstanceMessagingContract {

    private static TestRedis redis;

    ClusterInstanceMessagingTests() {
        super(redis);
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
