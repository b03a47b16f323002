/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The address of the application's Redis. */
final class RedisTarget {

    private RedisTarget() {}

    /**
     * The factory behind the proxies of Spring, such as those of a scope or of a library for tracing, whose own fields
     * are empty. The target of a scope may be another one after a refresh.
     */
    static LettuceConnectionFactory unproxied(LettuceConnectionFactory application) {
        LettuceConnectionFactory each = application;
        while (each instanceof Advised proxy && target(proxy) instanceof LettuceConnectionFactory target) {
            each = target;
        }
        return each;
    }

    private static @Nullable Object target(Advised proxy) {
        try {
            return proxy.getTargetSource().getTarget();
        } catch (Exception ex) {
            throw new IllegalStateException("The LettuceConnectionFactory behind its proxy is not available", ex);
        }
    }

    /** @throws UnsupportedTopologyException if locks do not work with it, or its kind is unknown */
    static RedisConfiguration of(LettuceConnectionFactory application) {
        if (application.getClusterConfiguration() != null) {
            return application.getClusterConfiguration();
        }
        RedisConfiguration sentinel = application.getSentinelConfiguration();
        if (sentinel != null) {
            return sentinel;
        }
        Object configured = configured(application);
        if (configured instanceof RedisConfiguration known
                && (known instanceof WithHostAndPort
                        || known instanceof WithDomainSocket
                        || known instanceof RedisStaticMasterReplicaConfiguration)) {
            return known;
        }
        throw UnsupportedTopologyException.unknown(configured);
    }

    /**
     * The configuration of the factory. The factory has no getter for it, and its other getters return localhost where
     * they do not apply, which would be the wrong Redis.
     */
    private static @Nullable Object configured(LettuceConnectionFactory application) {
        DirectFieldAccessor fields = new DirectFieldAccessor(application);
        return fields.isReadableProperty("configuration") ? fields.getPropertyValue("configuration") : null;
    }
}
