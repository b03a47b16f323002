/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.testing.EmbeddedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with locks on one Redis, which each class starts anew. */
abstract class AbstractRedisApplicationTests {

    static EmbeddedRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    static ApplicationContextRunner application() {
        return TestRedis.application("spring.data.redis.port=" + redis.port());
    }
}
