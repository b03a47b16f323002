/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.testing.EmbeddedRedis;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.file.Path;
import java.util.List;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A single server. All connections of the test JVM share their event loops. */
final class StandaloneServer implements LockServer, AutoCloseable {

    private static final ClientResources RESOURCES = ClientResources.builder()
            .ioThreadPoolSize(4)
            .computationThreadPoolSize(2)
            .build();

    /**
     * Keeps the event loops from ending with the last connection of a test: after a failed attempt to connect, Lettuce
     * has a timer for as long as the command time-out, which logs an error if they have ended by then.
     */
    @SuppressWarnings("unused")
    private static final EventExecutorGroup LOOPS =
            RESOURCES.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());

    private final EmbeddedRedis redis;

    StandaloneServer(String... settings) {
        redis = EmbeddedRedis.start(settings);
    }

    /** A started factory for whatever listens on that port. */
    static LettuceConnectionFactory connectionFactory(int port) {
        return connectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    }

    /** A started factory for that server or these servers, user and database. */
    static LettuceConnectionFactory connectionFactory(RedisConfiguration target) {
        return connectionFactory(
                target,
                LettuceClientConfiguration.builder().clientResources(RESOURCES).build());
    }

    /** The same with TLS, which trusts that certificate only. */
    static LettuceConnectionFactory tlsConnectionFactory(RedisConfiguration target, Path certificate) {
        ClientOptions options = ClientOptions.builder()
                .sslOptions(SslOptions.builder()
                        .jdkSslProvider()
                        .trustManager(certificate.toFile())
                        .build())
                .build();
        return connectionFactory(
                target,
                LettuceClientConfiguration.builder()
                        .clientResources(RESOURCES)
                        .clientOptions(options)
                        .useSsl()
                        .build());
    }

    private static LettuceConnectionFactory connectionFactory(
            RedisConfiguration target, LettuceClientConfiguration client) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(target, client);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    /** The event loops of all connections of the test JVM. */
    static ClientResources resources() {
        return RESOURCES;
    }

    EmbeddedRedis redis() {
        return redis;
    }

    @Override
    public LettuceConnectionFactory newConnectionFactory() {
        return connectionFactory(redis.port());
    }

    @Override
    public List<EmbeddedRedis> servers() {
        return List.of(redis);
    }

    @Override
    public EmbeddedRedis serverOf(String key) {
        return redis;
    }

    @Override
    public void close() {
        redis.close();
    }
}
