/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import java.util.Optional;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** The Redis that the instances of the sample share on this machine: the first one starts it, the others find it. */
interface SharedRedis extends AutoCloseable {

    /**
     * Has every write on disk before it is answered, so that a server that is killed and started again has lost
     * nothing.
     */
    static String[] durable() {
        return new String[] {"appendonly yes", "appendfsync always"};
    }

    /** How many looks in a row find no Redis before an instance that has not started it starts another. */
    int PATIENCE = 4;

    String STARTED_ANOTHER = "Redis had ended with the instance that started it. "
            + "This instance has started another, empty one: a sale that was running has to be started again.";

    /** Joins the Redis of that shape at the port, or starts one there; at any free port if it is 0. */
    static SharedRedis of(RedisShape shape, int port) {
        return switch (shape) {
            case SINGLE -> SharedServer.at(port);
            case CLUSTER -> RedisGroup.at(port, ClusterShape::new);
            case SENTINEL -> RedisGroup.at(port, SentinelShape::new);
        };
    }

    /** Where the other instances find it; the first port if it has several. */
    int port();

    /** What {@code spring.data.redis} would say. */
    DataRedisConnectionDetails connectionDetails();

    /**
     * Starts it again if it has ended as a whole.
     *
     * @return what was done, or nothing if a Redis answers there or cannot be started
     */
    Optional<String> revive();

    /** What follows if it does not answer. */
    String whenGone();

    @Override
    void close();
}
