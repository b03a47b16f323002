/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.RedisNode;
import java.util.List;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * How servers at consecutive ports of this machine work together. A shape knows only their ports, not the instance that
 * started them.
 */
interface GroupShape {

    /** The servers with data, and the action that ends all processes. */
    record Started(List<? extends RedisNode> servers, Runnable end) {}

    /** A description such as "a cluster". */
    String description();

    /** The mode in {@code INFO} of the server at the first port. */
    String mode();

    /** All ports to which instances send requests. */
    List<Integer> ports();

    /** Starts all processes and waits until they work together. */
    Started start();

    /** All servers, also those that do not reply. */
    List<RedisServer> look();

    /** Whether each part of the data has a master that works. */
    boolean works();

    /** Replaces this master with a replica, without losing a write. Returns when that is done. */
    void failOver(int master);

    /** Further settings for a server that has died and is started again. */
    String[] settingsToRejoin(int port);

    DataRedisConnectionDetails connectionDetails();
}
