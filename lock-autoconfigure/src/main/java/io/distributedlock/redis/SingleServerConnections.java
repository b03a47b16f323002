/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Two connections of one instance: one for commands, one for messages. A thread that ends as soon as both are open
 * opens them, so that an application starts while Redis is down; from then on Lettuce reconnects them.
 */
final class SingleServerConnections implements RedisConnections {

    private static final Log log = SafeLog.of(SingleServerConnections.class);

    private final LockClientFactory source;

    private final ClientResources resources;

    private final Duration commandTimeout;

    private final ConnectionOpener opener;

    private @Nullable InstanceChannelListener messages;

    private Runnable connected = () -> {};

    @GuardedBy("this")
    private CompletableFuture<Void> ready = new CompletableFuture<>();

    private volatile @Nullable StatefulRedisConnection<String, String> commands;

    private volatile @Nullable CommandWriter writer;

    private volatile @Nullable InstanceChannelSubscription subscription;

    private @Nullable FurtherConnection further;

    /** How many replicas have to confirm each grant. */
    private int acknowledging;

    private final MasterCheck masterCheck;

    private final MessageCheck messageCheck;

    private final ServerClock clock = new ServerClock(NanoClock.SYSTEM, this::time);

    /** Until the server grants a lock, so accepts writes again. */
    private volatile boolean replicaLogged;

    SingleServerConnections(LockClientFactory source, Duration commandTimeout) {
        this.source = source;
        this.opener = new ConnectionOpener(source, this::connect);
        this.masterCheck = new MasterCheck(source);
        this.messageCheck = new MessageCheck(
                source.channels()::replace, () -> later(this::checkConnections, OpenChannels.LONGEST_PAUSE_MILLIS));
        this.resources = source.resources();
        this.commandTimeout = commandTimeout;
    }

    @Override
    public void listen(InstanceChannelListener listener, LeaseStore.Listener engine) {
        messages = listener;
        connected = engine::connected;
    }

    /** A connection that is opened together with these, and has to lead to the same server. */
    interface FurtherConnection {

        void open(RedisClient client);

        /** Null if it is not open. */
        @Nullable
        StatefulRedisConnection<String, String> opened();
    }

    /** Set before {@link #open()}. */
    void alsoOpen(FurtherConnection connection) {
        further = connection;
    }

    /** For the checks at the start. Set before {@link #open()}. */
    void acknowledgedBy(int replicas) {
        acknowledging = replicas;
    }

    @Override
    public void open() {
        opener.start(commandTimeout);
    }

    private void connect() throws InterruptedException {
        RedisClient client = source.client();
        CompletableFuture<List<Long>> clocks = source.clocksOfServers();
        subscribe(client);
        FurtherConnection another = further;
        if (another != null) {
            another.open(client);
        }
        StatefulRedisConnection<String, String> opened = connect(client);
        commands = opened;
        clock.surveyed(ClockSurvey.await(clocks));
        clock.request();
        probe(opened);
        writer = opened::dispatch;
        onConnected();
        ServerConfigurationCheck.run(opened.async(), acknowledging);
    }

    private void probe(StatefulRedisConnection<String, String> opened) throws InterruptedException {
        InstanceChannelListener listener = messages;
        InstanceChannelSubscription listening = subscription;
        if (listener != null) {
            new CommandProbe(this::startedAtAReplica).request(opened, listener.channel(), source.address());
        }
        if (listener != null && listening != null && listening.isSubscribed()) {
            MessageProbe.run(opened, listener.channel(), commandTimeout);
        }
    }

    /** Not logged if the locks look for the master: then the server has just been demoted, and they look again. */
    private void startedAtAReplica() {
        if (source.master() == null && !replicaLogged) {
            replicaLogged = true;
            log.warn(source.redis()
                    + " is a replica, so no lock can be acquired until it becomes a master. If it is not about to,"
                    + " configure the address of the master, such as the primary endpoint instead of the reader"
                    + " endpoint, or let the locks find the master with spring.data.redis.sentinel.* or"
                    + " spring.data.redis.masterreplica.nodes.");
        }
    }

    private StatefulRedisConnection<String, String> connect(RedisClient client) {
        StatefulRedisConnection<String, String> opened = client.connect(StringCodec.UTF8);
        opened.addListener(new Watch(opened));
        masterCheck.awaitCheck(opened, commandTimeout);
        return opened;
    }

    private CompletionStage<List<String>> time() {
        StatefulRedisConnection<String, String> opened = commands;
        try {
            return opened == null
                    ? CompletableFuture.failedFuture(notConnected())
                    : opened.async().time();
        } catch (RuntimeException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    private void subscribe(RedisClient client) {
        InstanceChannelListener listener = messages;
        if (subscription == null && listener != null) {
            subscription = InstanceChannelSubscription.of(
                    client.connectPubSub(StringCodec.UTF8),
                    listener,
                    resources.eventExecutorGroup(),
                    new SubscriptionWatch());
        }
    }

    /** Nothing is sent until the server has confirmed that it is the master. */
    @Override
    public @Nullable CommandWriter commands() {
        return masterCheck.isPassed() ? writer : null;
    }

    @Override
    public int database() {
        return source.database();
    }

    @Override
    public boolean isConnected() {
        StatefulRedisConnection<String, String> opened = masterCheck.isPassed() ? commands : null;
        return opened != null && opened.isOpen();
    }

    @Override
    public boolean isSubscribed() {
        InstanceChannelSubscription opened = subscription;
        return opened != null && opened.isSubscribed();
    }

    @Override
    public long latestClock(String name) {
        return clock.latest();
    }

    @Override
    public long floor(long seen) {
        return Math.max(seen, clock.former());
    }

    @Override
    public long floorOfRelease(long seen) {
        return floor(seen);
    }

    @Override
    public boolean isAhead(long token) {
        return clock.isAhead(token);
    }

    @Override
    public void granted(long token, long sentAt) {
        if (replicaLogged) {
            replicaLogged = false;
        }
        clock.granted(token, sentAt);
    }

    @Override
    public void replied() {
        clock.replied();
    }

    @Override
    public Map<Object, String> shards() {
        return Map.of("", source.redis());
    }

    @Override
    public LeaseStoreException notConnected() {
        return new LeaseStoreException(Effect.NOT_EXECUTED, source.whyNotConnected(), source.lastFailure());
    }

    @Override
    public void receivedError(String error) {
        masterCheck.refused(error);
        if (LettuceFailures.isOfAReplica(error) && source.channels().replace()) {
            source.failed(new RedisCommandExecutionException(error));
            String what = source.redis() + " is a replica, which accepts no writes. The address may lead to"
                    + " another server by now, so locks use new connections.";
            if (replicaLogged) {
                log.debug(what);
            } else {
                log.warn(what);
            }
            replicaLogged = true;
        }
    }

    @Override
    public boolean isInTrouble() {
        return source.lastFailure() != null;
    }

    @Override
    public synchronized CompletableFuture<Void> ready() {
        return ready.copy();
    }

    private void onReconnected() {
        clock.request();
        onConnected();
    }

    private void onConnected() {
        source.succeeded();
        CompletableFuture<Void> waitedFor;
        synchronized (this) {
            waitedFor = ready;
        }
        waitedFor.complete(null);
        notifyConnected();
        checkConnections();
    }

    private synchronized void connectionLost() {
        if (ready.isDone()) {
            ready = new CompletableFuture<>();
        }
    }

    /** Checks that all connections lead to the same server. Each that has been opened again begins a check. */
    void checkConnections() {
        StatefulRedisConnection<String, String> opened = isConnected() ? commands : null;
        InstanceChannelSubscription listening = subscription;
        if (opened != null && listening != null) {
            FurtherConnection another = further;
            messageCheck.look(opened, another == null ? null : another.opened(), listening);
        }
    }

    /** Not on the event loop, since this may take long. */
    private void notifyConnected() {
        if (!opener.isClosed()) {
            resources.eventExecutorGroup().execute(connected);
        }
    }

    @Override
    public void later(Runnable task, long millis) {
        resources.eventExecutorGroup().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        opener.close();
        StatefulRedisConnection<String, String> command = commands;
        if (command != null) {
            command.close();
        }
        InstanceChannelSubscription message = subscription;
        if (message != null) {
            message.close();
        }
        source.close();
    }

    /** Follows the connection for commands. */
    private final class Watch implements RedisConnectionStateListener {

        private final StatefulRedisConnection<String, String> watched;

        Watch(StatefulRedisConnection<String, String> watched) {
            this.watched = watched;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            masterCheck.reconnected(watched, address, SingleServerConnections.this::onReconnected);
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            masterCheck.disconnected();
            clock.disconnected();
            connectionLost();
            InstanceChannelSubscription other = subscription;
            if (other != null) {
                other.ping();
            }
        }
    }

    /** Follows the connection for messages. */
    private final class SubscriptionWatch implements InstanceChannelSubscription.Listener {

        @Override
        public void reconnected(SocketAddress address) {
            masterCheck.closeElsewhere(address);
            StatefulRedisConnection<String, String> other = commands;
            if (other != null && other.isOpen()) {
                source.succeeded();
            }
        }

        @Override
        public void subscribed() {
            notifyConnected();
            checkConnections();
        }
    }
}
