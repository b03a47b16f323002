package io.distributedlock.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes again for as long as Redis refuses it. After a reconnect Lettuce does so once, and stays silent for good if the
 * user may not listen at that moment.
 */
final class Resubscription extends RedisPubSubAdapter<String, String>
        implements RedisConnectionStateListener, AutoCloseable {

    private static final long RETRY_MILLIS = 5_000;

    private final StatefulRedisPubSubConnection<String, String> connection;

    private final String channel;

    private final EventExecutorGroup executors;

    private boolean subscribed;

    private boolean closed;

    private @Nullable ScheduledFuture<?> retry;

    Resubscription(
            StatefulRedisPubSubConnection<String, String> connection, String channel, EventExecutorGroup executors) {
        this.connection = connection;
        this.channel = channel;
        this.executors = executors;
    }

    @Override
    public synchronized void subscribed(String which, long count) {
        subscribed = true;
    }

    @Override
    public synchronized void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
        subscribed = false;
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connected, SocketAddress address) {
        later();
    }

    /** Looks after a while whether it is subscribed. */
    synchronized void later() {
        if (!closed && !subscribed && retry == null) {
            retry = executors.schedule(this::tryAgain, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void tryAgain() {
        synchronized (this) {
            retry = null;
            if (closed || subscribed) {
                return;
            }
        }
        connection.async().subscribe(channel);
        later();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (retry != null) {
            retry.cancel(false);
        }
    }
}
