/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The application's client configuration, with changes for locks: nothing is replayed after a reconnect, since a
 * command whose caller no longer waits must not run later; the engine has its own time-outs; the queue of commands has
 * a bound; and nothing is read from replicas.
 */
record LockClientConfiguration(
        LettuceClientConfiguration application,
        ClientResources resources,
        Duration commandTimeout,
        @Nullable String name,
        boolean cluster)
        implements LettuceClientConfiguration {

    /**
     * More than a healthy connection has under way at any time, and more than 200 000: up to that, Lettuce allocates a
     * queue for all of them at once, which took 1.6 MB of heap for each instance.
     */
    private static final int MAX_COMMANDS_UNDER_WAY = 250_000;

    @Override
    public Optional<ClientOptions> getClientOptions() {
        ClientOptions options = application.getClientOptions().orElseGet(ClientOptions::create);
        ClientOptions own = options.mutate()
                .autoReconnect(true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(LockClientConfiguration::failUnanswered)
                .requestQueueSize(MAX_COMMANDS_UNDER_WAY)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(socket(options.getSocketOptions()))
                .build();
        return Optional.of(cluster ? inCluster(own) : own);
    }

    /**
     * The connection closes while this command is written. Lettuce does not send it on the next connection if this
     * returns true, but does not complete it either: its caller would wait until the time-out.
     */
    private static boolean failUnanswered(RedisCommand<?, ?, ?> command) {
        command.completeExceptionally(new RedisException("The connection was closed before the reply"));
        return true;
    }

    /** A failover has to be detected soon, and a server that hangs must not prevent the refresh of the topology. */
    @SuppressWarnings("deprecation") // The triggers are the default only since Lettuce 7.
    private static ClientOptions inCluster(ClientOptions options) {
        return ClusterClientOptions.builder(options)
                .maxRedirects(RedirectionLimiter.MAX_REDIRECTIONS)
                .validateClusterNodeMembership(false)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                        .refreshTriggersReconnectAttempts(1)
                        .enablePeriodicRefresh(Duration.ofSeconds(5))
                        .dynamicRefreshSources(true)
                        .closeStaleConnections(true)
                        .build())
                .build();
    }

    private SocketOptions socket(SocketOptions configured) {
        SocketOptions.Builder socket =
                configured.mutate().keepAlive(keepAlive()).tcpNoDelay(true);
        if (configured.getConnectTimeout().compareTo(commandTimeout.multipliedBy(2)) > 0) {
            socket.connectTimeout(commandTimeout.multipliedBy(2));
        }
        if (EpollProvider.isAvailable()) {
            socket.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(commandTimeout.multipliedBy(2))
                    .build());
        }
        return socket.build();
    }

    /** For the connection that only listens: only this detects that the server is gone. */
    private static KeepAliveOptions keepAlive() {
        return KeepAliveOptions.builder()
                .enable()
                .idle(Duration.ofSeconds(5))
                .interval(Duration.ofSeconds(2))
                .count(3)
                .build();
    }

    @Override
    public Optional<ClientResources> getClientResources() {
        return Optional.of(resources);
    }

    @Override
    public Duration getCommandTimeout() {
        return commandTimeout;
    }

    @Override
    public Optional<ReadFrom> getReadFrom() {
        return Optional.empty();
    }

    @Override
    public boolean isUseSsl() {
        return application.isUseSsl();
    }

    @Override
    @SuppressWarnings("deprecation")
    public boolean isVerifyPeer() {
        return application.isVerifyPeer();
    }

    @Override
    public SslVerifyMode getVerifyMode() {
        return application.getVerifyMode();
    }

    @Override
    public boolean isStartTls() {
        return application.isStartTls();
    }

    @Override
    public Optional<String> getClientName() {
        return Optional.ofNullable(name);
    }

    @Override
    public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
        return application.getRedisCredentialsProviderFactory();
    }

    @Override
    public Duration getShutdownTimeout() {
        return Duration.ofSeconds(2);
    }

    @Override
    public Duration getShutdownQuietPeriod() {
        return Duration.ZERO;
    }
}
