/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on a single server. */
class StandaloneLockContractTests extends LockContract {

    private static StandaloneServer server;

    @Override
    LockServer server() {
        return server;
    }

    @BeforeAll
    static void start() {
        Templates.warmUpThisJvm();
        server = new StandaloneServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }
}
