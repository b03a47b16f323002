/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** The parts of the contract that a cluster can break most easily, on three masters. */
class ClusterHandOverTests {

    private static final ClusterServer SERVER = new ClusterServer(RedisCluster.start(3, 0));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Nested
    class HandOver extends HandOverContract {
        HandOver() {
            super(SERVER);
        }
    }

    @Nested
    class ExplicitOwner extends ExplicitOwnerContract {
        ExplicitOwner() {
            super(SERVER);
        }
    }

    @Nested
    class Tokens extends TokenContract {
        Tokens() {
            super(SERVER);
        }
    }
}
