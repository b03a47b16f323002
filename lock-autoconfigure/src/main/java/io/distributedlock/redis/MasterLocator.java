/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Finds out which of several servers is the master. Safe for use by any thread. */
interface MasterLocator extends AutoCloseable {

    /**
     * Begins to listen for failovers, if there is a source for them.
     *
     * @param hint called when the master may have changed; on any thread, and it must not block
     */
    void open(Runnable hint);

    /**
     * Requests the address of the master, and does not block. The address is not resolved.
     *
     * @return fails with {@link MasterUnknownException} if it is unknown
     */
    CompletableFuture<InetSocketAddress> locate();

    /** The clocks of all servers that are known and reply in time, in microseconds. Never fails. */
    CompletableFuture<List<Long>> clocks();

    /** The servers that are searched for the master, for messages. */
    String description();

    @Override
    void close();
}
