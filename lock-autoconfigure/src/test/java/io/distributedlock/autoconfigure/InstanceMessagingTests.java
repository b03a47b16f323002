/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Instances on one server exchange messages. */
class InstanceMessagingTests extends InstanceMessagingContract {

    private static TestRedis redis;

    InstanceMessagingTests() {
        super(redis);
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
