/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LeaseStore.Reply;
import io.distributedlock.engine.LeaseStoreException;
import io.distributedlock.engine.LeaseStoreException.Effect;
import io.distributedlock.engine.NanoClock;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a Redis Cluster: for each master one for commands and one for messages, which Lettuce opens and closes
 * as the cluster changes. Twice a second this class determines which master has which slots, and keeps the
 * {@link ShardMailboxes} and {@link ClusterClocks} up to date.
 */
final class ClusterConnections implements RedisConnections {

    private static final Log log = SafeLog.of(ClusterConnections.class);

    private static final long LOOK_MILLIS = 500;

    /** The clocks are requested at each second check. */
    private static final int CLOCK_EVERY = 2;

    /** The connection that Lettuce has opened first may lead to any server, so it shows nothing about the masters. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long REFRESH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final LockClientFactory source;

    private final LockKeys keys;

    private final Duration commandTimeout;

    private final ClusterClocks clocks = new ClusterClocks(NanoClock.SYSTEM);

    private final RedirectionLimiter redirections = new RedirectionLimiter(NanoClock.SYSTEM);

    private final AskRedirectedLocks askRedirectedLocks = new AskRedirectedLocks(NanoClock.SYSTEM);

    private final ConnectionOpener opener;

    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    private final SerialTask looking = new SerialTask(this::lookNow);

    private final AtomicBoolean lookPlanned = new AtomicBoolean();

    private final AtomicBoolean probed = new AtomicBoolean();

    private final AtomicBoolean refreshPlanned = new AtomicBoolean();

    private volatile long refreshedAt = NanoClock.SYSTEM.nanos() - REFRESH_PAUSE_NANOS;

    private @Nullable InstanceChannelListener messages;

    private LeaseStore.@Nullable Listener listener;

    private Consumer<RedisClusterClient> another = client -> {};

    private volatile @Nullable Cluster cluster;

    /** When a master has replied to a request for its clock. Written before {@link #cluster}. */
    private volatile long repliedAt;

    private volatile @Nullable ClusterWriter writer;

    private volatile CompletableFuture<?> replies = CompletableFuture.completedFuture(null);

    private volatile @Nullable Future<?> looks;

    private int looked;

    ClusterConnections(LockClientFactory source, LockKeys keys, Duration commandTimeout) {
        this.source = source;
        this.opener = new ConnectionOpener(source, this::connect);
        this.keys = keys;
        this.commandTimeout = commandTimeout;
    }

    /** The objects that exist once the cluster was reached. */
    private record Cluster(
            RedisClusterClient client,
            StatefulRedisClusterConnection<String, String> commands,
            StatefulRedisClusterPubSubConnection<String, String> subscriptions,
            ClusterView view,
            ShardMailboxes mailboxes) {}

    @Override
    public void listen(InstanceChannelListener messages, LeaseStore.Listener listener) {
        this.messages = messages;
        this.listener = listener;
    }

    /** Opens further connections together with these. Set before {@link #open()}. */
    void alsoOpen(Consumer<RedisClusterClient> opening) {
        another = opening;
    }

    @Override
    public void open() {
        opener.start(commandTimeout);
    }

    private void connect() {
        RedisClusterClient client = source.clusterClient();
        StatefulRedisClusterPubSubConnection<String, String> subscriptions = client.connectPubSub(StringCodec.UTF8);
        StatefulRedisClusterConnection<String, String> commands;
        try {
            another.accept(client);
            commands = client.connect(StringCodec.UTF8);
        } catch (RuntimeException ex) {
            subscriptions.close();
            throw ex;
        }
        ClusterView view = new ClusterView(client);
        ShardMailboxes mailboxes = new ShardMailboxes(
                view, subscriptions, Objects.requireNonNull(messages), clocks::nanos, new MailboxListener());
        Cluster opened = new Cluster(client, commands, subscriptions, view, mailboxes);
        repliedAt = clocks.nanos();
        cluster = opened;
        CompletableFuture<List<Long>> others = source.clocksOf(view.others());
        look();
        awaitFirstReplies(view.masters());
        probeCommands(opened);
        clocks.surveyed(ClockSurvey.await(others));
        source.succeeded();
        writer = new ClusterWriter(commands.getChannelWriter(), client);
        ready.complete(null);
        planLooks();
        connected(slot -> true);
    }

    private void planLooks() {
        Future<?> planned = source.resources()
                .eventExecutorGroup()
                .scheduleAtFixedRate(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        looks = planned;
        // Then close() may have read the field before.
        if (opener.isClosed()) {
            planned.cancel(false);
        }
    }

    private void probeCommands(Cluster known) {
        // A server that was demoted since redirects commands with a key.
        CommandProbe probe = new CommandProbe(() -> {});
        for (RedisClusterNode master : known.view().masters()) {
            String address = master.getUri().getHost() + ':' + master.getUri().getPort();
            int slot = master.getSlots().isEmpty() ? 0 : master.getSlots().get(0);
            String channel = Objects.requireNonNull(messages).channel(slot);
            connectionTo(known, master).thenAccept(node -> probe.request(node, channel, address));
        }
    }

    /** At the first calls, the clocks are known and the channels subscribed, unless a server is slow. */
    private void awaitFirstReplies(List<RedisClusterNode> masters) {
        try {
            replies.get(commandTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException ex) {
            log.debug("Not all of " + masters.size() + " masters have replied yet", ex);
        }
    }

    // ---- twice a second

    /** On one thread at a time: two would open the same subscriptions. */
    private void look() {
        looking.run();
    }

    /** Never fails, not even for lack of memory: the executor would not repeat it. */
    private void lookNow() {
        Cluster known = cluster;
        if (known == null || opener.isClosed()) {
            return;
        }
        lookPlanned.set(false);
        try {
            askRedirectedLocks.forget(this::masterOf);
            List<RedisClusterNode> masters = known.view().masters();
            CompletableFuture<?> subscriptions = known.mailboxes().update(masters);
            if (looked++ % CLOCK_EVERY == 0) {
                replies = CompletableFuture.allOf(subscriptions, requestClocks(known, masters));
            }
            BitSet changed = known.view().changes(clocks.nanos());
            if (!changed.isEmpty() && ready.isDone()) {
                connected(changed::get);
            }
        } catch (RuntimeException | Error ex) {
            log.debug("The topology of the cluster could not be read", ex);
        }
    }

    private CompletableFuture<?> requestClocks(Cluster known, List<RedisClusterNode> masters) {
        clocks.retain(masters.stream().map(RedisClusterNode::getNodeId).collect(Collectors.toSet()));
        CompletableFuture<?>[] times =
                masters.stream().map(master -> requestClock(known, master)).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(times);
        return times.length == 0 ? all : all.thenRun(source::succeeded);
    }

    private CompletableFuture<?> requestClock(Cluster known, RedisClusterNode master) {
        return connectionTo(known, master).thenCompose(node -> {
            long sentAt = clocks.nanos();
            return node.async().time().whenComplete(this::noteReply).thenAccept(time -> {
                clocks.replied(master.getNodeId(), ClockSurvey.micros(time), sentAt);
            });
        });
    }

    /** A refusal is a reply too. */
    private void noteReply(@Nullable List<String> time, @Nullable Throwable failure) {
        if (time != null || failure instanceof RedisCommandExecutionException) {
            repliedAt = clocks.nanos();
        }
    }

    /** By its address, as for commands with a key: by its id, Lettuce would open one more connection. */
    private static CompletableFuture<StatefulRedisConnection<String, String>> connectionTo(
            Cluster known, RedisClusterNode master) {
        RedisURI uri = master.getUri();
        return ClusterNodes.connection(() -> known.commands().getConnectionAsync(uri.getHost(), uri.getPort()));
    }

    /**
     * Makes Lettuce refresh its view of the cluster, at most a few times a second, and checks it then. Not earlier:
     * with the same view, a request that was redirected would be redirected again.
     */
    private void refresh() {
        if (opener.isClosed() || !refreshPlanned.compareAndSet(false, true)) {
            return;
        }
        long pause = refreshedAt + REFRESH_PAUSE_NANOS - clocks.nanos();
        try {
            source.resources()
                    .eventExecutorGroup()
                    .schedule(this::refreshNow, Math.max(0, pause), TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error ex) {
            refreshPlanned.set(false);
            throw ex;
        }
    }

    private void refreshNow() {
        refreshedAt = clocks.nanos();
        refreshPlanned.set(false);
        Cluster known = cluster;
        if (known != null && !opener.isClosed()) {
            known.client().refreshPartitionsAsync().whenComplete((done, failure) -> lookSoon());
        }
    }

    private void lookSoon() {
        if (!opener.isClosed() && lookPlanned.compareAndSet(false, true)) {
            source.resources().eventExecutorGroup().execute(this::look);
        }
    }

    private final class MailboxListener implements ShardMailboxes.Listener {

        @Override
        public void subscribed(String master, String channel) {
            Cluster known = cluster;
            RedisClusterNode node = known == null ? null : known.view().node(master);
            if (known != null && node != null && probed.compareAndSet(false, true)) {
                connectionTo(known, node)
                        .thenCompose(connection -> MessageProbe.start(connection, channel))
                        .exceptionally(failure -> {
                            log.debug("The check whether Redis sends messages has failed", failure);
                            return null;
                        });
            }
            if (known != null && ready.isDone()) {
                connected(slot -> master.equals(known.view().masterOf(slot)));
            }
        }

        @Override
        public void outdated() {
            refresh();
        }
    }

    /** Not on the event loop, since this may take long. */
    private void connected(IntPredicate slots) {
        LeaseStore.Listener engine = listener;
        if (engine != null && !opener.isClosed()) {
            source.resources()
                    .eventExecutorGroup()
                    .execute(() -> engine.connected(name -> slots.test(keys.slot(name))));
        }
    }

    // ---- requests of the store

    @Override
    public @Nullable CommandWriter commands() {
        return writer;
    }

    @Override
    public boolean routesByKey() {
        return true;
    }

    @Override
    public long number(String name, long counter) {
        Cluster known = cluster;
        int slot = keys.slot(name);
        return InstanceId.numberWithSlot(
                counter, known == null ? slot : known.mailboxes().mailboxOf(slot));
    }

    @Override
    public boolean isOutOfReach(String name, long number) {
        Cluster known = cluster;
        return known != null && known.mailboxes().isOutOfReach(keys.slot(name), InstanceId.slotOf(number));
    }

    @Override
    public boolean receivesMessages(String name) {
        Cluster known = cluster;
        return known != null
                && known.mailboxes().receivesMessages(keys.slot(name))
                && !askRedirectedLocks.contains(name, this::masterOf);
    }

    @Override
    public int receivingSlot(int near) {
        Cluster known = cluster;
        return known == null ? -1 : known.mailboxes().receivingSlot(near);
    }

    @Override
    public List<CompletableFuture<List<String>>> shardChannels(String pattern) {
        Cluster known = cluster;
        return known == null
                ? List.of()
                : known.view().masters().stream()
                        .map(master -> connectionTo(known, master)
                                .thenCompose(node -> node.async().pubsubShardChannels(pattern)))
                        .toList();
    }

    @Override
    public Object shard(String name) {
        String master = masterOf(name);
        return master == null ? "" : master;
    }

    private @Nullable String masterOf(String name) {
        Cluster known = cluster;
        return known == null ? null : known.view().masterOf(keys.slot(name));
    }

    @Override
    public Map<Object, String> shards() {
        Cluster known = cluster;
        List<RedisClusterNode> masters =
                known == null ? List.of() : known.view().masters();
        return masters.isEmpty()
                ? Map.of("", source.redis())
                : masters.stream().collect(Collectors.toMap(RedisClusterNode::getNodeId, ClusterConnections::address));
    }

    private static String address(RedisClusterNode node) {
        return "Redis at " + node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    @Override
    public long latestClock(String name) {
        return clocks.latest(shard(name));
    }

    @Override
    public long floor(long seen) {
        return Math.max(seen, clocks.mostAdvanced());
    }

    /** Those of present masters do not count here: each release of a lock would keep its token for a moment. */
    @Override
    public long floorOfRelease(long seen) {
        return Math.max(seen, clocks.former());
    }

    @Override
    public boolean isConnected() {
        Cluster known = cluster;
        return known != null && known.commands().isOpen() && clocks.nanos() - repliedAt < SILENCE_NANOS;
    }

    @Override
    public boolean isSubscribed() {
        Cluster known = cluster;
        return known != null && known.mailboxes().isSubscribedSomewhere();
    }

    @Override
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    @Override
    public boolean isInTrouble() {
        return source.lastFailure() != null;
    }

    @Override
    public LeaseStoreException notConnected() {
        return new LeaseStoreException(Effect.NOT_EXECUTED, source.whyNotConnected(), source.lastFailure());
    }

    @Override
    public void receivedError(String error) {
        redirections.receivedError(error);
        receivedErrorOfConfirmation(error);
    }

    @Override
    public void receivedErrorOfConfirmation(String error) {
        if (error.startsWith("MOVED")) {
            refresh();
        }
    }

    @Override
    public void routed(String name, boolean byAsk) {
        if (byAsk) {
            askRedirectedLocks.redirected(name, masterOf(name));
        } else {
            askRedirectedLocks.replied(name);
        }
    }

    @Override
    public <T> @Nullable Reply<T> permit(String key, Reply<T> to) {
        return redirections.permit(key, to);
    }

    RedirectionLimiter redirections() {
        return redirections;
    }

    @Override
    public void later(Runnable task, long millis) {
        source.resources().eventExecutorGroup().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        opener.close();
        Future<?> planned = looks;
        if (planned != null) {
            planned.cancel(false);
        }
        Cluster known = cluster;
        if (known != null) {
            known.commands().close();
            known.subscriptions().close();
        }
        source.close();
    }
}
