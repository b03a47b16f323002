/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterAll;

/** Instances on one server exchange messages. */
class InstanceMessagingTests extends InstanceMessagingContract {

    private static final TestRedis REDIS = TestRedis.single();

    InstanceMessagingTests() {
        super(REDIS);
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }
}
