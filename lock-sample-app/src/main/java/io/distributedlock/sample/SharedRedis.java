/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.Optional;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** The Redis that the instances of the sample share on this machine: the first one starts it, the others find it. */
interface SharedRedis extends AutoCloseable {

    /** Settings for a server that writes to disk before it replies, so that a restart after a kill loses nothing. */
    static String[] durable() {
        return new String[] {"appendonly yes", "appendfsync always"};
    }

    /**
     * The number of consecutive checks without a Redis after which an instance that did not start it starts another.
     */
    int PATIENCE = 4;

    String STARTED_ANOTHER = "Redis had ended with the instance that started it. "
            + "This instance has started another, empty one: a sale that was running has to be started again.";

    /** Joins the Redis of that shape at the port, or starts one there. Port 0 selects a free port. */
    static SharedRedis of(RedisShape shape, int port) {
        return switch (shape) {
            case SINGLE -> SharedServer.at(port);
            case CLUSTER -> RedisGroup.at(port, ClusterShape::new);
            case SENTINEL -> RedisGroup.at(port, SentinelShape::new);
        };
    }

    /** The port at which the other instances find this Redis; the first of several ports. */
    int port();

    /** The details that {@code spring.data.redis} would give. */
    DataRedisConnectionDetails connectionDetails();

    /**
     * Starts Redis again if all of it has ended.
     *
     * @return a message about the start, or nothing if a Redis replies there or cannot be started
     */
    Optional<String> revive();

    /** The message for a Redis that does not reply. */
    String whenGone();

    @Override
    void close();
}
