/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.testing.RedisNode;
import java.util.List;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** How servers at consecutive ports of this machine work together. Knows only their ports, not who has started them. */
interface GroupShape {

    /** The servers with data, and how to end all processes. */
    record Started(List<? extends RedisNode> servers, Runnable end) {}

    /** In words, such as "a cluster". */
    String description();

    /** What {@code INFO} of the server at the first port calls its mode. */
    String mode();

    /** All ports under which instances or the page ask something. */
    List<Integer> ports();

    /** Starts all processes and waits until they work together. */
    Started start();

    /** All servers, also those that do not answer. */
    List<RedisServer> look();

    /** Whether each part of the data has a master that works. */
    boolean works();

    /** Makes a replica the master instead of this one, without losing a write. Returns when that is done. */
    void failOver(int master);

    /** Further settings for a server that has died and is started again. */
    String[] settingsToRejoin(int port);

    DataRedisConnectionDetails connectionDetails();
}
