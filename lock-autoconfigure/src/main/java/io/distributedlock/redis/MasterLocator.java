/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Finds out which of several servers is the master. Safe for use by any thread. */
interface MasterLocator extends AutoCloseable {

    /**
     * Begins to listen for failovers, if there is something to listen to.
     *
     * @param hint called when the master may be another one than before; on any thread, and it must not block
     */
    void open(Runnable hint);

    /**
     * Asks where the master is, and does not block. The address is not resolved.
     *
     * @return fails with {@link MasterUnknownException} if nobody can tell
     */
    CompletableFuture<InetSocketAddress> locate();

    /** What the master is looked for in, for people. */
    String description();

    @Override
    void close();
}
