/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ListOfMapsOutput;
import io.lettuce.core.output.MapOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * One Sentinel: a connection that listens for failovers, and one for requests. Both are opened when they are needed.
 */
final class SentinelLink extends RedisPubSubAdapter<String, String> implements AutoCloseable {

    private static final Log log = SafeLog.of(SentinelLink.class);

    private static final long RETRY_MILLIS = 1_000;

    /** The configuration of the failover is in force everywhere, or in the Sentinel that leads it. */
    private static final String SWITCHED = "+switch-master";

    private static final String PROMOTED = "+promoted-slave";

    private final RedisClient client;

    private final RedisURI uri;

    private final String master;

    private final EventExecutorGroup executors;

    private final AtomicBoolean listening = new AtomicBoolean();

    private final AtomicBoolean refusalLogged = new AtomicBoolean();

    private volatile Runnable hint = () -> {};

    private volatile @Nullable CompletableFuture<StatefulRedisConnection<String, String>> queries;

    private volatile boolean closed;

    SentinelLink(RedisClient client, RedisURI uri, String master, EventExecutorGroup executors) {
        this.client = client;
        this.uri = uri;
        this.master = master;
        this.executors = executors;
    }

    String address() {
        return uri.getHost() + ":" + uri.getPort();
    }

    /** Listens from now on, or as soon as the Sentinel can be reached. */
    void listen(Runnable action) {
        hint = action;
        if (!closed && listening.compareAndSet(false, true)) {
            connect().whenComplete(this::connected);
        }
    }

    /** Also an error such as a lack of memory is followed by another attempt. */
    private CompletionStage<StatefulRedisPubSubConnection<String, String>> connect() {
        try {
            return client.connectPubSubAsync(StringCodec.UTF8, uri);
        } catch (RuntimeException | Error ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private void connected(
            @Nullable StatefulRedisPubSubConnection<String, String> opened, @Nullable Throwable failure) {
        if (opened == null) {
            log.debug("No subscription at Sentinel " + address() + ": " + failure);
            listening.set(false);
            if (!closed) {
                executors.schedule(() -> listen(hint), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
            return;
        }
        opened.addListener(this);
        subscribe(opened);
    }

    /** Lettuce repeats a subscription on a new connection only if the Sentinel has confirmed it before. */
    private void subscribe(StatefulRedisPubSubConnection<String, String> opened) {
        opened.async().subscribe(SWITCHED, PROMOTED).whenComplete((done, failure) -> {
            if (failure != null && !closed) {
                notSubscribed(failure);
                executors.schedule(() -> subscribe(opened), RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void notSubscribed(Throwable failure) {
        if (failure instanceof RedisCommandExecutionException && refusalLogged.compareAndSet(false, true)) {
            log.warn("Sentinel at " + address() + " refuses the channel " + SWITCHED + " to this user ("
                    + failure.getMessage() + "). A failover is noticed later: when the connections to the old master"
                    + " break. Grant the user this channel.");
        } else {
            log.debug("No subscription at Sentinel " + address() + ": " + failure);
        }
    }

    /** Messages may have been missed before. */
    @Override
    public void subscribed(String channel, long count) {
        hint.run();
    }

    @Override
    public void message(String channel, String message) {
        boolean ours =
                channel.equals(SWITCHED) ? message.startsWith(master + " ") : message.contains("@ " + master + " ");
        if (ours) {
            hint.run();
        }
    }

    /** The address of the master; none if this Sentinel knows no master of that name. */
    CompletableFuture<SentinelReply> request() {
        return connection()
                .thenCompose(connection -> request(connection.async()))
                .toCompletableFuture();
    }

    private CompletionStage<SentinelReply> request(RedisAsyncCommands<String, String> sentinel) {
        CompletionStage<List<String>> address = sentinel.dispatch(
                CommandType.SENTINEL, new ValueListOutput<>(StringCodec.UTF8), about("GET-MASTER-ADDR-BY-NAME"));
        CompletionStage<Map<String, String>> fields =
                sentinel.dispatch(CommandType.SENTINEL, new MapOutput<>(StringCodec.UTF8), about("MASTER"));
        CompletionStage<Long> epoch = fields.handle((known, failure) -> epoch(known));
        return address.thenCombine(epoch, SentinelLink::reply);
    }

    /** The addresses of the replicas. Fails if this user has no right to read them, for example. */
    CompletableFuture<List<InetSocketAddress>> replicas() {
        return connection()
                .thenCompose(connection -> connection
                        .async()
                        .dispatch(CommandType.SENTINEL, new ListOfMapsOutput<>(StringCodec.UTF8), about("REPLICAS")))
                .thenApply(
                        replicas -> replicas.stream().map(SentinelLink::address).toList())
                .toCompletableFuture();
    }

    private static InetSocketAddress address(Map<String, String> replica) {
        return InetSocketAddress.createUnresolved(
                replica.getOrDefault("ip", ""), Integer.parseInt(replica.getOrDefault("port", "0")));
    }

    private CommandArgs<String, String> about(String command) {
        return new CommandArgs<>(StringCodec.UTF8).add(command).add(master);
    }

    private static SentinelReply reply(@Nullable List<String> address, long epoch) {
        return address == null || address.size() < 2
                ? new SentinelReply(null, epoch)
                : new SentinelReply(
                        InetSocketAddress.createUnresolved(address.get(0), Integer.parseInt(address.get(1))), epoch);
    }

    private static long epoch(@Nullable Map<String, String> fields) {
        String text = fields == null ? null : fields.get("config-epoch");
        return text == null ? 0 : Long.parseLong(text);
    }

    private synchronized CompletableFuture<StatefulRedisConnection<String, String>> connection() {
        CompletableFuture<StatefulRedisConnection<String, String>> known = queries;
        if (known == null || known.isCompletedExceptionally()) {
            known = closed
                    ? CompletableFuture.failedFuture(new IllegalStateException("closed"))
                    : client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
            queries = known;
        }
        return known;
    }

    /** Opens nothing from now on. Open connections end with the client. */
    @Override
    public synchronized void close() {
        closed = true;
    }
}
