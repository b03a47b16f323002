/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the application's Redis is of a kind that locks do not support.
 *
 * @since 0.1.0
 */
public final class UnsupportedTopologyException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private UnsupportedTopologyException(String message) {
        super(message);
    }

    static UnsupportedTopologyException unknown(@Nullable Object configuration) {
        return new UnsupportedTopologyException(
                "Distributed locks cannot determine the address of Redis: the LettuceConnectionFactory was created"
                        + " with "
                        + (configuration == null
                                ? "something that this version of Spring Data Redis does not show"
                                : "a " + configuration.getClass().getName())
                        + ". Provide a LettuceConnectionFactory that was created with a RedisStandaloneConfiguration, a"
                        + " RedisSentinelConfiguration, a RedisStaticMasterReplicaConfiguration or a"
                        + " RedisClusterConfiguration.");
    }
}
