/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Lettuce client of our own that goes to where the application's goes: same address, credentials and TLS, but with
 * {@linkplain LockClientConfiguration options} that are right for locks. It shares the application's event loops.
 */
final class LockClientFactory implements AutoCloseable {

    private static final Delay RECONNECT = new ReconnectDelay();

    /** Of a connection that is not given up yet. Redis may be busy for that long. */
    private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(3);

    private final ClientResources resources;

    private final LettuceConnectionFactory factory;

    private final OpenChannels channels = new OpenChannels(NanoClock.SYSTEM::nanos);

    private final String address;

    private volatile @Nullable Throwable trouble;

    LockClientFactory(LettuceConnectionFactory application, Duration commandTimeout, InstanceId instance) {
        LettuceClientConfiguration configured = application.getClientConfiguration();
        ClientResources shared = configured.getClientResources().orElse(null);
        this.resources = shared == null
                ? DefaultClientResources.builder()
                        .reconnectDelay(RECONNECT)
                        .eventBus(new ReconnectFailureEventBus(null, this::failed))
                        .nettyCustomizer(handlers(commandTimeout, new NettyCustomizer() {}))
                        .build()
                : new DelegatingClientResources(
                        shared,
                        RECONNECT,
                        handlers(commandTimeout, shared.nettyCustomizer()),
                        new ReconnectFailureEventBus(shared.eventBus(), this::failed));
        RedisConfiguration target = target(application);
        this.address = address(target) + (application.isUseSsl() ? " (TLS)" : "");
        this.factory = new LettuceConnectionFactory(
                target,
                new LockClientConfiguration(
                        configured, resources, commandTimeout, ConnectionName.of(configured, instance)));
        factory.afterPropertiesSet();
        factory.start();
    }

    private static String address(RedisConfiguration target) {
        if (target instanceof RedisConfiguration.WithHostAndPort server) {
            return server.getHostName() + ":" + server.getPort();
        }
        return target instanceof RedisConfiguration.WithDomainSocket socket ? socket.getSocket() : "its address";
    }

    /** Where Redis is, for people. */
    String address() {
        return address;
    }

    OpenChannels channels() {
        return channels;
    }

    private NettyCustomizer handlers(Duration commandTimeout, NettyCustomizer application) {
        Duration threeTimes = commandTimeout.multipliedBy(3);
        Duration limit = threeTimes.compareTo(SHORTEST_SILENCE) > 0 ? threeTimes : SHORTEST_SILENCE;
        return channels.before(ResponseTimeoutHandler.before(limit, FlushConsolidator.after(application)));
    }

    /** @throws UnsupportedTopologyException if the application does not talk to a single Redis */
    static RedisConfiguration target(LettuceConnectionFactory application) {
        if (application.getClusterConfiguration() != null) {
            throw new UnsupportedTopologyException("a Redis Cluster");
        }
        if (application.getSentinelConfiguration() != null) {
            throw new UnsupportedTopologyException("Redis Sentinel");
        }
        if (configured(application) instanceof RedisStaticMasterReplicaConfiguration) {
            throw new UnsupportedTopologyException("a static list of a master and its replicas");
        }
        RedisConfiguration socket = application.getSocketConfiguration();
        return socket != null ? socket : application.getStandaloneConfiguration();
    }

    /**
     * What the factory was made with. It has no getter for it, and its other getters answer with localhost where they
     * do not apply, which would be the wrong Redis without anybody noticing.
     */
    private static @Nullable Object configured(LettuceConnectionFactory application) {
        DirectFieldAccessor fields = new DirectFieldAccessor(application);
        return fields.isReadableProperty("configuration") ? fields.getPropertyValue("configuration") : null;
    }

    /**
     * One of its connections could not be opened, or not be opened again. What Redis said then is worth remembering.
     */
    void failed(Throwable failure) {
        if (trouble == null || !LettuceFailures.isClosed(failure)) {
            trouble = failure;
        }
    }

    void succeeded() {
        trouble = null;
    }

    /** Why the latest try to connect has failed; null if it has not. */
    @Nullable
    Throwable lastFailure() {
        return trouble;
    }

    ClientResources resources() {
        return resources;
    }

    RedisClient client() {
        return (RedisClient) factory.getRequiredNativeClient();
    }

    @Override
    public void close() {
        factory.destroy();
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
