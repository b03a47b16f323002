/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStoreException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A third connection, on which WAIT may block without keeping other commands waiting. All else is that of the other
 * two.
 */
final class AcknowledgementConnection implements RedisConnections {

    private final LockConnections others;

    private volatile @Nullable StatefulRedisConnection<String, String> connection;

    AcknowledgementConnection(LockConnections others) {
        this.others = others;
        others.alsoOpen(this::open);
    }

    private void open(RedisClient client) {
        if (connection == null) {
            connection = client.connect(StringCodec.UTF8);
        }
    }

    /** How many replicas have what was written before on this connection, within that time. */
    CompletableFuture<Long> await(int replicas, long timeoutMillis) {
        StatefulRedisConnection<String, String> opened = connection;
        return opened == null
                ? CompletableFuture.failedFuture(notConnected())
                : opened.async().waitForReplication(replicas, timeoutMillis).toCompletableFuture();
    }

    @Override
    public @Nullable CommandWriter commands() {
        StatefulRedisConnection<String, String> opened = connection;
        return opened == null || others.commands() == null ? null : opened::dispatch;
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
    public void redisSaid(String error) {
        others.redisSaid(error);
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
