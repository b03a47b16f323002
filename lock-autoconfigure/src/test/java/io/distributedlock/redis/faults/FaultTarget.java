/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis.faults;

import io.distributedlock.testing.TcpStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The Redis under test: one server, or several that work together. */
interface FaultTarget extends AutoCloseable {

    /** Of all servers to which instances send commands. */
    List<Integer> ports();

    /** @param proxies the port of the proxy in front of each server, by the port of the server */
    InstanceConnection connection(Map<Integer, Integer> proxies);

    /** Whether servers redirect commands to others. */
    default boolean redirects() {
        return false;
    }

    /** What changes the commands of a connection to a server on their way. */
    default TcpStream.Editor editor(int server) {
        return Arrays::copyOf;
    }

    /** All keys of locks. */
    List<String> keys();

    /** The answer to PTTL. */
    long millisToLive(String key);

    /** How many instances listen at each master. */
    List<Integer> listeningInstances();

    @Override
    void close();
}
