/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;

/** The application's Redis is of a kind that locks do not support. */
public final class UnsupportedTopologyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private UnsupportedTopologyException(String message) {
        super(message);
    }

    static UnsupportedTopologyException acknowledgedCluster() {
        return new UnsupportedTopologyException(
                "Locks that are acknowledged by replicas do not work on a Redis Cluster."
                        + " Set distributed-lock.replicas.acknowledge to 0, and guard what must not be written twice"
                        + " by fencing tokens.");
    }

    static UnsupportedTopologyException unknown(@Nullable Object configuration) {
        return new UnsupportedTopologyException(
                "Distributed locks cannot tell where the application's Redis is: its LettuceConnectionFactory was made"
                        + " with "
                        + (configuration == null
                                ? "something that this version of Spring Data Redis does not show"
                                : "a " + configuration.getClass().getName())
                        + ". Give them a LettuceConnectionFactory that was made with a RedisStandaloneConfiguration, a"
                        + " RedisSentinelConfiguration or a RedisStaticMasterReplicaConfiguration.");
    }
}
