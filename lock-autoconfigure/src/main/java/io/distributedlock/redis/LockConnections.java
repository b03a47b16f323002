package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Two connections of one instance: one for commands, one for messages. They are opened by a thread that ends as soon as
 * both stand, so that an application starts while Redis is down; from then on Lettuce reconnects them.
 */
final class LockConnections implements AutoCloseable {

    private static final Log log = LogFactory.getLog(LockConnections.class);

    private static final long RETRY_MILLIS = 500;

    private static final long RETRY_REFUSED_MILLIS = 1_000;

    private final RedisClientSource source;

    private final ClientResources resources;

    private final Duration commandTimeout;

    private final CountDownLatch firstTry = new CountDownLatch(1);

    private final CountDownLatch closed = new CountDownLatch(1);

    private @Nullable Messages messages;

    private Runnable connected = () -> {};

    private @Nullable Thread opener;

    private volatile boolean subscribed;

    /** Whether it was told that the channel is refused, and not yet that it no longer is. */
    private volatile boolean refused;

    /** Whether the channel will be asked for again. */
    private final AtomicBoolean planned = new AtomicBoolean();

    private CompletableFuture<Void> ready = new CompletableFuture<>();

    private volatile @Nullable StatefulRedisConnection<String, String> commands;

    private volatile @Nullable StatefulRedisPubSubConnection<String, String> subscription;

    LockConnections(RedisClientSource source, Duration commandTimeout) {
        this.source = source;
        this.resources = source.resources();
        this.commandTimeout = commandTimeout;
    }

    /** Who is told of messages, and that commands can be sent again or messages may have been missed. */
    void listen(Messages listener, Runnable onConnected) {
        messages = listener;
        connected = onConnected;
    }

    /** Begins to connect, and waits for the outcome of the first try, one command time-out at most. */
    void open() {
        Thread thread = new Thread(this::connect, "distributed-lock-connect");
        thread.setDaemon(true);
        opener = thread;
        thread.start();
        try {
            boolean tried = firstTry.await(commandTimeout.toMillis(), TimeUnit.MILLISECONDS);
            log.debug(tried ? "First try to connect has ended" : "First try to connect takes long");
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void connect() {
        try {
            boolean told = false;
            while (!tryToConnect()) {
                if (!told) {
                    log.warn("Redis cannot be reached yet; locks are unavailable until it is: " + whyNotConnected());
                    told = true;
                }
                firstTry.countDown();
                if (closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
            if (told) {
                log.info("Redis is reached; locks are available");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            firstTry.countDown();
        }
    }

    private boolean tryToConnect() {
        try {
            RedisClient client = source.client();
            if (subscription == null) {
                subscription = subscribe(client.connectPubSub(StringCodec.UTF8));
            }
            StatefulRedisConnection<String, String> opened = client.connect(StringCodec.UTF8);
            opened.addListener(new Watch());
            commands = opened;
            isConnected();
            check(opened);
            return true;
        } catch (RuntimeException ex) {
            source.failed(ex);
            return false;
        }
    }

    private static void check(StatefulRedisConnection<String, String> opened) {
        try {
            ServerCheck.of(opened.async());
        } catch (RuntimeException ex) {
            log.debug("Redis could not be asked how it is set up", ex);
        }
    }

    private StatefulRedisPubSubConnection<String, String> subscribe(
            StatefulRedisPubSubConnection<String, String> opened) {
        Messages listener = messages;
        if (listener == null) {
            return opened;
        }
        try {
            opened.addListener(listener);
            opened.addListener(new RedisPubSubAdapter<String, String>() {
                @Override
                public void subscribed(String channel, long count) {
                    isSubscribed();
                }
            });
            opened.addListener(new SubscriptionWatch());
            opened.sync().subscribe(listener.channel());
            return opened;
        } catch (RedisCommandExecutionException ex) {
            isRefused(listener.channel(), ex);
            return opened;
        } catch (RuntimeException ex) {
            opened.close();
            throw ex;
        }
    }

    private void isSubscribed() {
        subscribed = true;
        if (refused) {
            refused = false;
            log.info("Redis allows the channel of this instance now");
        }
        tellConnected();
    }

    private void isRefused(String channel, Throwable failure) {
        if (!refused) {
            refused = true;
            log.warn(
                    "Redis refuses the channel " + channel
                            + " to this user. Locks work, but whoever waits for"
                            + " another instance asks once a second instead of being told. Allow the user the channels with"
                            + " this prefix.",
                    failure);
        }
        subscribeLater();
    }

    /** Rights come and go without a word, so somebody has to try. */
    private void subscribeLater() {
        if (closed.getCount() > 0 && planned.compareAndSet(false, true)) {
            resources.eventExecutorGroup().schedule(this::subscribeAgain, RETRY_REFUSED_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void subscribeAgain() {
        planned.set(false);
        StatefulRedisPubSubConnection<String, String> opened = subscription;
        Messages listener = messages;
        if (opened == null || listener == null || subscribed || closed.getCount() == 0) {
            return;
        }
        opened.async().subscribe(listener.channel()).exceptionally(failure -> {
            if (failure instanceof RedisCommandExecutionException) {
                isRefused(listener.channel(), failure);
            }
            return null;
        });
    }

    /** Null until the first connection stands; then Lettuce refuses commands while it is broken. */
    @Nullable
    StatefulRedisConnection<String, String> commands() {
        return commands;
    }

    LeaseStoreException notConnected() {
        return new LeaseStoreException(Effect.NOT_EXECUTED, whyNotConnected(), source.trouble());
    }

    /** Whether the latest try to connect has failed. */
    boolean isInTrouble() {
        return source.trouble() != null;
    }

    private String whyNotConnected() {
        Throwable cause = source.trouble();
        return "not connected to Redis" + (cause == null ? "" : ": " + LettuceFailures.reason(cause));
    }

    synchronized CompletableFuture<Void> ready() {
        return ready.copy();
    }

    private void isConnected() {
        source.succeeded();
        CompletableFuture<Void> waitedFor;
        synchronized (this) {
            waitedFor = ready;
        }
        waitedFor.complete(null);
        tellConnected();
    }

    private synchronized void isDisconnected() {
        if (ready.isDone()) {
            ready = new CompletableFuture<>();
        }
    }

    /** Not on the event loop: there may be much to do. */
    private void tellConnected() {
        if (closed.getCount() > 0) {
            resources.eventExecutorGroup().execute(connected);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        Thread thread = opener;
        if (thread != null) {
            thread.interrupt();
        }
        StatefulRedisConnection<String, String> command = commands;
        if (command != null) {
            command.close();
        }
        StatefulRedisPubSubConnection<String, String> message = subscription;
        if (message != null) {
            message.close();
        }
        source.close();
    }

    /** Follows the connection for commands. */
    private final class Watch implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            isConnected();
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            isDisconnected();
        }
    }

    /** Follows the connection for messages. Lettuce subscribes again after a reconnect, but is silent if it may not. */
    private final class SubscriptionWatch implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            StatefulRedisConnection<String, String> other = commands;
            if (other != null && other.isOpen()) {
                source.succeeded();
            }
            subscribeLater();
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            subscribed = false;
        }
    }
}
