/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A third connection, on which WAIT may block without delaying other commands. Its settings are those of the other two.
 */
final class AcknowledgementConnection implements RedisConnections, SingleServerConnections.FurtherConnection {

    private final RedisConnections others;

    private final boolean asking;

    private final Runnable whenConnectedAgain;

    private final AtomicInteger changes = new AtomicInteger();

    private volatile @Nullable StatefulRedisConnection<String, String> connection;

    /** To the only server. */
    AcknowledgementConnection(SingleServerConnections others) {
        this.others = others;
        this.asking = false;
        this.whenConnectedAgain = others::checkConnections;
        others.alsoOpen(this);
    }

    /**
     * To a server of a cluster.
     *
     * @param asking whether ASKING precedes each command, since the slot still belongs to another server
     */
    AcknowledgementConnection(
            ClusterConnections others, StatefulRedisConnection<String, String> connection, boolean asking) {
        this.others = others;
        this.asking = asking;
        this.whenConnectedAgain = () -> {};
        use(connection);
    }

    @Override
    public void open(RedisClient client) {
        if (connection == null) {
            use(client.connect(StringCodec.UTF8));
        }
    }

    @Override
    public @Nullable StatefulRedisConnection<String, String> opened() {
        StatefulRedisConnection<String, String> opened = connection;
        return opened != null && opened.isOpen() ? opened : null;
    }

    private void use(StatefulRedisConnection<String, String> opened) {
        opened.addListener(new Changes());
        connection = opened;
    }

    private final class Changes implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> changed, SocketAddress address) {
            changes.incrementAndGet();
            whenConnectedAgain.run();
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> changed) {
            changes.incrementAndGet();
        }
    }

    /** How often it was opened or broke. */
    int changes() {
        return changes.get();
    }

    /** How many replicas have the earlier writes of this connection, within that time. */
    CompletableFuture<Long> await(int replicas, long timeoutMillis) {
        StatefulRedisConnection<String, String> opened = connection;
        return opened == null
                ? CompletableFuture.failedFuture(notConnected())
                : opened.async().waitForReplication(replicas, timeoutMillis).toCompletableFuture();
    }

    @Override
    public @Nullable CommandWriter commands() {
        StatefulRedisConnection<String, String> opened = connection;
        if (opened == null || others.commands() == null) {
            return null;
        }
        return asking ? command -> opened.dispatch(List.of(newAsking(), command)) : opened::dispatch;
    }

    private static RedisCommand<String, String, ?> newAsking() {
        return new Command<>(CommandType.ASKING, new StatusOutput<>(StringCodec.UTF8));
    }

    @Override
    public boolean routesByKey() {
        return others.routesByKey();
    }

    @Override
    public void listen(InstanceChannelListener messages, LeaseStore.Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void open() {
        others.open();
    }

    @Override
    public boolean isConnected() {
        return others.isConnected();
    }

    @Override
    public boolean isSubscribed() {
        return others.isSubscribed();
    }

    @Override
    public CompletableFuture<Void> ready() {
        return others.ready();
    }

    @Override
    public boolean isInTrouble() {
        return others.isInTrouble();
    }

    @Override
    public LeaseStoreException notConnected() {
        return others.notConnected();
    }

    @Override
    public Map<Object, String> shards() {
        return others.shards();
    }

    @Override
    public void receivedError(String error) {
        others.receivedErrorOfConfirmation(error);
    }

    @Override
    public void later(Runnable task, long millis) {
        others.later(task, millis);
    }

    /** The client closes it with the other connections. */
    @Override
    public void close() {
        others.close();
    }
}
