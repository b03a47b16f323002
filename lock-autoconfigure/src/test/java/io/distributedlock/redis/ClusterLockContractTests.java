/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.TestLength;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole contract on a cluster of three masters. Takes two minutes. */
@Tag(TestLength.FULL)
class ClusterLockContractTests extends LockContract {

    private static ClusterServer server;

    @Override
    LockServer server() {
        return server;
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        server = new ClusterServer(RedisCluster.start(3, 0, Duration.ofSeconds(15)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }
}
