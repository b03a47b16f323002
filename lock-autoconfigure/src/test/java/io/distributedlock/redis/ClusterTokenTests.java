/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.RedisCluster;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Tokens on three masters. The rest of the contract is in {@link ClusterLockContractTests}. */
class ClusterTokenTests {

    private static ClusterServer cluster;

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        cluster = new ClusterServer(RedisCluster.start(3, 0, Duration.ofSeconds(15)));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Nested
    class Tokens extends TokenContract {
        Tokens() {
            super(cluster);
        }
    }
}
