/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;

/**
 * The connection for messages, and the channel of this instance on it. Lettuce subscribes again after a reconnect, but
 * reports nothing if Redis refuses it; and rights change without a notification. So this class retries once a second
 * until it is subscribed.
 */
final class InstanceChannelSubscription extends RedisPubSubAdapter<String, String>
        implements RedisConnectionStateListener, AutoCloseable {

    private static final Log log = SafeLog.of(InstanceChannelSubscription.class);

    private static final long RETRY_MILLIS = 1_000;

    private final StatefulRedisPubSubConnection<String, String> connection;

    private final String channel;

    private final EventExecutorGroup executors;

    private final Listener listener;

    private final AtomicBoolean planned = new AtomicBoolean();

    private final AtomicInteger ended = new AtomicInteger();

    private volatile boolean subscribed;

    /** Whether the refusal of the channel was reported, and its end not yet. */
    private volatile boolean refused;

    private volatile boolean closed;

    /** Receives events, on the event loop. */
    interface Listener {

        /** The connection was opened again. */
        void reconnected(SocketAddress address);

        /** Messages arrive from now on; some may have been missed. */
        void subscribed();
    }

    private InstanceChannelSubscription(
            StatefulRedisPubSubConnection<String, String> connection,
            String channel,
            EventExecutorGroup executors,
            Listener listener) {
        this.connection = connection;
        this.channel = channel;
        this.executors = executors;
        this.listener = listener;
    }

    /**
     * Subscribes, and waits for the reply. A refusal of the channel is no failure: locks work without it.
     *
     * @throws RuntimeException the exception of Lettuce if there is no reply; the connection is closed then
     */
    static InstanceChannelSubscription of(
            StatefulRedisPubSubConnection<String, String> connection,
            InstanceChannelListener messages,
            EventExecutorGroup executors,
            Listener listener) {
        InstanceChannelSubscription subscription =
                new InstanceChannelSubscription(connection, messages.channel(), executors, listener);
        try {
            connection.addListener(messages);
            connection.addListener((RedisPubSubAdapter<String, String>) subscription);
            connection.addListener((RedisConnectionStateListener) subscription);
            connection.sync().subscribe(messages.channel());
        } catch (RedisCommandExecutionException ex) {
            subscription.subscriptionRefused(ex);
        } catch (RuntimeException ex) {
            connection.close();
            throw ex;
        }
        return subscription;
    }

    String channel() {
        return channel;
    }

    boolean isSubscribed() {
        return subscribed;
    }

    /** Changes when a subscription ends, which distinguishes it from the next one. */
    int generation() {
        return ended.get();
    }

    /**
     * Sends a command, and does not wait for the reply: a frozen server keeps an idle connection open, and only a
     * command without a reply shows that.
     */
    void ping() {
        if (!closed && connection.isOpen()) {
            connection.async().ping();
        }
    }

    @Override
    public void subscribed(String which, long count) {
        subscribed = true;
        if (refused) {
            refused = false;
            log.info("Subscribed to the channel of this instance again");
        }
        listener.subscribed();
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connected, SocketAddress address) {
        listener.reconnected(address);
        tryLater();
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
        subscribed = false;
        ended.incrementAndGet();
    }

    private void subscriptionRefused(Throwable failure) {
        if (LettuceFailures.isTemporary(String.valueOf(failure.getMessage()))) {
            log.debug("Redis does not accept the channel " + channel + " at present: " + failure.getMessage());
        } else if (!refused) {
            refused = true;
            log.warn(
                    "Redis refuses the channel " + channel
                            + " to this user. Locks work, but a waiting instance sends a request once a second"
                            + " instead of receiving a message. Grant the user the channels with this prefix.",
                    failure);
        }
        tryLater();
    }

    private void tryLater() {
        if (!closed && planned.compareAndSet(false, true)) {
            executors.schedule(this::tryAgain, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void tryAgain() {
        planned.set(false);
        if (subscribed || closed) {
            return;
        }
        connection.async().subscribe(channel).exceptionally(failure -> {
            if (failure instanceof RedisCommandExecutionException) {
                subscriptionRefused(failure);
            }
            return null;
        });
    }

    @Override
    public void close() {
        closed = true;
        connection.close();
    }
}
