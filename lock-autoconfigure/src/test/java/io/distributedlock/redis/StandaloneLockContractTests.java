/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.junit.jupiter.api.AfterAll;

/** The contract on a single server. */
class StandaloneLockContractTests extends LockContract {

    private static final StandaloneServer SERVER = new StandaloneServer();

    @Override
    LockServer server() {
        return SERVER;
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }
}
