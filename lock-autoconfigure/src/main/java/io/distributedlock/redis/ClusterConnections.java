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
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a Redis Cluster: for each master one for commands and one for messages, which Lettuce opens and closes
 * as the cluster changes. A {@link ClusterSurvey} determines which master has which slots.
 */
final class ClusterConnections implements RedisConnections {

    private static final Log log = SafeLog.of(ClusterConnections.class);

    /** The connection that Lettuce has opened first may lead to any server, so it shows nothing about the masters. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LockClientFactory source;

    private final LockKeys keys;

    private final Duration commandTimeout;

    private final ClusterClocks clocks = new ClusterClocks(NanoClock.SYSTEM);

    private final RedirectionLimiter redirections = new RedirectionLimiter(NanoClock.SYSTEM);

    private final AskRedirectedLocks askRedirectedLocks = new AskRedirectedLocks(NanoClock.SYSTEM);

    private final ConnectionOpener opener;

    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    private final AtomicBoolean probed = new AtomicBoolean();

    private @Nullable InstanceChannelListener messages;

    private LeaseStore.@Nullable Listener listener;

    private Consumer<RedisClusterClient> another = client -> {};

    /** Written before {@link #cluster}. */
    private volatile @Nullable ClusterSurvey survey;

    private volatile @Nullable OpenCluster cluster;

    private volatile @Nullable ClusterWriter writer;

    ClusterConnections(LockClientFactory source, LockKeys keys, Duration commandTimeout) {
        this.source = source;
        this.opener = new ConnectionOpener(source, this::connect);
        this.keys = keys;
        this.commandTimeout = commandTimeout;
    }

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
        OpenCluster opened = new OpenCluster(client, commands, subscriptions, view, mailboxes);
        ClusterSurvey first = new ClusterSurvey(opened, source, clocks, opener::isClosed, new SurveyListener());
        survey = first;
        cluster = opened;
        CompletableFuture<List<Long>> others = source.clocksOf(view.others());
        first.run();
        // So the clocks are known and the channels subscribed at the first calls.
        first.awaitReplies(commandTimeout);
        probe(opened);
        clocks.surveyed(ClockSurvey.await(others));
        source.succeeded();
        writer = new ClusterWriter(commands.getChannelWriter(), client);
        ready.complete(null);
        first.repeat();
        connected(slot -> true);
    }

    private void probe(OpenCluster known) {
        // A server that was demoted since redirects commands with a key.
        CommandProbe probe = new CommandProbe(() -> {});
        AtomicBoolean evicting = new AtomicBoolean();
        for (RedisClusterNode master : known.view().masters()) {
            String address = master.getUri().getHost() + ':' + master.getUri().getPort();
            int slot = master.getSlots().isEmpty() ? 0 : master.getSlots().get(0);
            String channel = Objects.requireNonNull(messages).channel(slot);
            known.connectionTo(master).thenAccept(node -> {
                probe.request(node, channel, address);
                ServerConfigurationCheck.runInCluster(node.async(), () -> evicting.compareAndSet(false, true));
            });
        }
    }

    private final class SurveyListener implements ClusterSurvey.Listener {

        @Override
        public void surveying() {
            askRedirectedLocks.forget(ClusterConnections.this::masterOf);
        }

        @Override
        public void moved(IntPredicate slots) {
            if (ready.isDone()) {
                connected(slots);
            }
        }
    }

    private final class MailboxListener implements ShardMailboxes.Listener {

        @Override
        public void subscribed(String master, String channel) {
            OpenCluster known = cluster;
            RedisClusterNode node = known == null ? null : known.view().node(master);
            if (known != null && node != null && probed.compareAndSet(false, true)) {
                known.connectionTo(node)
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

    private void refresh() {
        ClusterSurvey present = survey;
        if (present != null) {
            present.refresh();
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
        OpenCluster known = cluster;
        int slot = keys.slot(name);
        return InstanceId.numberWithSlot(
                counter, known == null ? slot : known.mailboxes().mailboxOf(slot));
    }

    @Override
    public boolean isOutOfReach(String name, long number) {
        OpenCluster known = cluster;
        return known != null && known.mailboxes().isOutOfReach(keys.slot(name), InstanceId.slotOf(number));
    }

    @Override
    public boolean receivesMessages(String name) {
        OpenCluster known = cluster;
        return known != null
                && known.mailboxes().receivesMessages(keys.slot(name))
                && !askRedirectedLocks.contains(name, this::masterOf);
    }

    @Override
    public int receivingSlot(int near) {
        OpenCluster known = cluster;
        return known == null ? -1 : known.mailboxes().receivingSlot(near);
    }

    @Override
    public List<CompletableFuture<List<String>>> shardChannels(String pattern) {
        OpenCluster known = cluster;
        return known == null
                ? List.of()
                : known.view().masters().stream()
                        .map(master -> known.connectionTo(master)
                                .thenCompose(node -> node.async().pubsubShardChannels(pattern)))
                        .toList();
    }

    @Override
    public Object shard(String name) {
        String master = masterOf(name);
        return master == null ? "" : master;
    }

    private @Nullable String masterOf(String name) {
        OpenCluster known = cluster;
        return known == null ? null : known.view().masterOf(keys.slot(name));
    }

    @Override
    public Map<Object, String> shards() {
        OpenCluster known = cluster;
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
        OpenCluster known = cluster;
        ClusterSurvey present = survey;
        return known != null
                && present != null
                && known.commands().isOpen()
                && clocks.nanos() - present.repliedAt() < SILENCE_NANOS;
    }

    @Override
    public boolean isSubscribed() {
        OpenCluster known = cluster;
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
        ClusterSurvey present = survey;
        if (present != null) {
            present.close();
        }
        OpenCluster known = cluster;
        if (known != null) {
            known.close();
        }
        source.close();
    }
}
