/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A separate Lettuce client with the address, credentials and TLS of the application's client, but with
 * {@linkplain LockClientConfiguration options} for locks. It shares the application's event loops.
 */
final class LockClientFactory implements AutoCloseable {

    private static final Log log = SafeLog.of(LockClientFactory.class);

    private static final long SHUTDOWN_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** The host in the address of a master that is looked up. */
    private static final String PLACEHOLDER = "master.invalid";

    /** The silence of a connection that is not closed yet. Redis may be busy for that long. */
    private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(3);

    private final ClientResources resources;

    private final AbstractRedisClient client;

    /** The factory that created the client; null if it was created here. */
    private final @Nullable LettuceConnectionFactory factory;

    /** Which of several servers is the master; null if there is only one. */
    private final @Nullable CurrentMaster master;

    private final OpenChannels channels = new OpenChannels(NanoClock.SYSTEM::nanos);

    private final RedisUris uris;

    /** Creates a client for requests to servers that are not the master. */
    private final Supplier<RedisClient> surveyor;

    private final String address;

    private final boolean cluster;

    private volatile @Nullable Throwable lastFailure;

    LockClientFactory(LettuceConnectionFactory application, Duration commandTimeout, InstanceId instance) {
        LettuceClientConfiguration configured = application.getClientConfiguration();
        ClientResources shared = configured.getClientResources().orElse(null);
        RedisConfiguration target = RedisTarget.of(application);
        this.cluster = target instanceof RedisConfiguration.ClusterConfiguration;
        Delay delay = target instanceof RedisSentinelConfiguration
                ? ReconnectDelay.toMasterOfSentinels()
                : ReconnectDelay.toOneAddress();
        this.resources = shared == null
                ? DefaultClientResources.builder()
                        .reconnectDelay(delay)
                        .eventBus(new ReconnectFailureEventBus(null, this::failed))
                        .nettyCustomizer(handlers(commandTimeout, new NettyCustomizer() {}))
                        .build()
                : new DelegatingClientResources(
                        shared,
                        delay,
                        handlers(commandTimeout, shared.nettyCustomizer()),
                        new ReconnectFailureEventBus(shared.eventBus(), this::failed));
        LockClientConfiguration ours = new LockClientConfiguration(
                configured, resources, commandTimeout, ConnectionName.of(configured, instance), cluster);
        this.uris = new RedisUris(ours, target);
        this.surveyor = () -> surveyClient(ours, shared);
        MasterLocator locator = locator(target, ours, shared);
        if (locator == null) {
            this.master = null;
            this.factory = new LettuceConnectionFactory(target, ours);
            factory.afterPropertiesSet();
            factory.start();
            this.client = factory.getRequiredNativeClient();
            if (client instanceof RedisClusterClient inCluster) {
                // Spring has replaced the limit of redirections with that of the application, if it has one.
                inCluster.setOptions((ClusterClientOptions) options(ours));
            }
            this.address = address(target) + (application.isUseSsl() ? " (TLS)" : "");
        } else {
            CurrentMaster found = new CurrentMaster(locator, this::resolve, channels::closeAll, NanoClock.SYSTEM);
            this.master = found;
            this.factory = null;
            MasterClient following = new MasterClient(resources, uris.server(PLACEHOLDER, 6379), found::toConnectTo);
            following.setOptions(options(ours));
            this.client = following;
            this.address = "the master of " + locator.description() + (application.isUseSsl() ? " (TLS)" : "");
            found.open();
        }
    }

    private @Nullable MasterLocator locator(
            RedisConfiguration target, LockClientConfiguration ours, @Nullable ClientResources shared) {
        if (target instanceof RedisSentinelConfiguration sentinels) {
            return new SentinelLocator(
                    surveyClient(ours, shared),
                    uris.sentinels(sentinels),
                    String.valueOf(Objects.requireNonNull(sentinels.getMaster(), "master of Sentinel")
                            .getName()),
                    uris::server,
                    resources.eventExecutorGroup());
        }
        if (target instanceof RedisStaticMasterReplicaConfiguration list) {
            return new StaticLocator(
                    surveyClient(ours, shared),
                    list.getNodes().stream()
                            .map(node -> uris.server(node.getHostName(), node.getPort()))
                            .toList(),
                    resources.eventExecutorGroup());
        }
        return null;
    }

    /** By the application's resolver, as Lettuce does with the addresses that Sentinels name. */
    private CompletableFuture<SocketAddress> resolve(InetSocketAddress named) {
        RedisURI uri = RedisURI.create(named.getHostString(), named.getPort());
        return CompletableFuture.supplyAsync(
                () -> resources.socketAddressResolver().resolve(uri), resources.eventExecutorGroup());
    }

    /** A client for requests about the master. Its connections stay when those to the master are closed. */
    private RedisClient surveyClient(LockClientConfiguration ours, @Nullable ClientResources shared) {
        NettyCustomizer application = shared == null ? new NettyCustomizer() {} : shared.nettyCustomizer();
        RedisClient surveyClient = RedisClient.create(new DelegatingClientResources(
                resources,
                ReconnectDelay.toOneAddress(),
                ResponseTimeoutHandler.before(SHORTEST_SILENCE, application),
                shared == null ? new ReconnectFailureEventBus(null, failure -> {}) : shared.eventBus()));
        surveyClient.setOptions(options(ours));
        return surveyClient;
    }

    private static ClientOptions options(LockClientConfiguration ours) {
        return ours.getClientOptions().orElseThrow();
    }

    private static String address(RedisConfiguration target) {
        if (target instanceof RedisConfiguration.WithHostAndPort server) {
            return server.getHostName() + ":" + server.getPort();
        }
        if (target instanceof RedisConfiguration.ClusterConfiguration nodes) {
            return nodes.getClusterNodes().stream().map(RedisNode::asString).collect(Collectors.joining(", "));
        }
        return target instanceof RedisConfiguration.WithDomainSocket socket ? socket.getSocket() : "its address";
    }

    int database() {
        return uris.database();
    }

    /** The address of Redis, for messages. */
    String address() {
        return address;
    }

    /** Redis with its address, for messages. */
    String redis() {
        return (cluster ? "the Redis Cluster at " : "Redis at ") + address;
    }

    /** The target of its connections, and why they are not open, for messages. */
    String whyNotConnected() {
        Throwable cause = lastFailure;
        if (cause == null) {
            return "not connected to " + redis() + ": the connection is not open yet";
        }
        String reason = cluster ? LettuceFailures.reasonWithAddress(cause) : LettuceFailures.reason(cause);
        return "not connected to " + redis() + ": " + reason;
    }

    OpenChannels channels() {
        return channels;
    }

    private NettyCustomizer handlers(Duration commandTimeout, NettyCustomizer application) {
        Duration threeTimes = commandTimeout.multipliedBy(3);
        Duration limit = threeTimes.compareTo(SHORTEST_SILENCE) > 0 ? threeTimes : SHORTEST_SILENCE;
        NettyCustomizer guarded = cluster ? StaleMasterGuard.before(commandTimeout, application) : application;
        return channels.before(ResponseTimeoutHandler.before(limit, FlushConsolidator.after(guarded)));
    }

    /** Which of several servers is the master; null if there is only one. */
    @Nullable
    CurrentMaster master() {
        return master;
    }

    /** The clocks of all servers of which one is the master, in microseconds; none if there is only one server. */
    CompletableFuture<List<Long>> clocksOfServers() {
        return master == null ? CompletableFuture.completedFuture(List.of()) : master.clocks();
    }

    /** The clocks of those servers that reply in time, in microseconds. */
    CompletableFuture<List<Long>> clocksOf(Collection<RedisURI> servers) {
        if (servers.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        RedisClient surveyClient = surveyor.get();
        return ClockSurvey.of(
                        surveyClient,
                        servers.stream()
                                .map(server -> uris.server(server.getHost(), server.getPort()))
                                .toList(),
                        resources.eventExecutorGroup())
                .whenComplete((clock, failure) -> surveyClient.shutdownAsync(0, 2, TimeUnit.SECONDS));
    }

    /** One of its connections could not be opened, or not be opened again. The error of Redis is remembered. */
    void failed(Throwable failure) {
        if (lastFailure == null || !LettuceFailures.isClosed(failure)) {
            lastFailure = failure;
        }
    }

    void succeeded() {
        lastFailure = null;
    }

    /** Why the latest attempt to connect has failed; null if it has not. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    ClientResources resources() {
        return resources;
    }

    RedisClient client() {
        return (RedisClient) client;
    }

    RedisClusterClient clusterClient() {
        return (RedisClusterClient) client;
    }

    @Override
    public void close() {
        if (client instanceof RedisClusterClient cluster) {
            // A topology refresh that is under way would start the periodic ones again when it ends.
            cluster.setOptions(ClusterClientOptions.create());
        }
        if (factory != null) {
            factory.destroy();
        } else {
            shutdown(client);
        }
        if (master != null) {
            master.close();
        }
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }

    /** Does not throw, and waits also if the calling thread is interrupted: what follows has to be closed as well. */
    static void shutdown(AbstractRedisClient client) {
        CompletableFuture<Void> end = client.shutdownAsync(0, 2, TimeUnit.SECONDS);
        long limit = System.nanoTime() + SHUTDOWN_NANOS;
        boolean interrupted = false;
        while (!end.isDone() && limit - System.nanoTime() > 0) {
            try {
                end.get(limit - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException ex) {
                log.debug("A client has not shut down as it should: " + ex);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
