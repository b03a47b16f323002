/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.composite.StageFailures;
import io.distributedlock.logging.SafeLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * A channel of this instance in each shard of a cluster. A script can send messages only to channels of the server that
 * it runs on, so an acquisition's id names a channel in the shard that has the lock. Lettuce does not subscribe such
 * channels again, neither after a failover nor when the server ends a subscription; this class does.
 */
final class ShardMailboxes {

    private static final Log log = SafeLog.of(ShardMailboxes.class);

    private final ClusterView view;

    private final StatefulRedisClusterPubSubConnection<String, String> connection;

    private final InstanceChannelListener messages;

    private final Listener listener;

    private final LongSupplier clock;

    private final Map<String, ShardMailbox> current = new ConcurrentHashMap<>();

    private final Set<StatefulRedisPubSubConnection<String, String>> withListener =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private volatile boolean refused;

    /** Receives events, on the event loop. */
    interface Listener {

        /** Messages from that master arrive from now on; some may have been missed. */
        void subscribed(String master, String channel);

        /** A master has ended a subscription or does not have the slot: the topology may have changed by now. */
        void outdated();
    }

    ShardMailboxes(
            ClusterView view,
            StatefulRedisClusterPubSubConnection<String, String> connection,
            InstanceChannelListener messages,
            LongSupplier clock,
            Listener listener) {
        this.view = view;
        this.connection = connection;
        this.messages = messages;
        this.clock = clock;
        this.listener = listener;
    }

    /** The slot of the channel for a lock in that slot: one of the same master. Its own if no master has it. */
    int mailboxOf(int lockSlot) {
        ShardMailbox mailbox = inShardOf(lockSlot);
        return mailbox == null ? lockSlot : mailbox.slot;
    }

    /** Whether a message to the channel in that slot does not arrive, but one to another channel would. */
    boolean isOutOfReach(int lockSlot, int mailboxSlot) {
        ShardMailbox mailbox = inShardOf(lockSlot);
        return mailbox != null && mailbox.slot != mailboxSlot && mailbox.isSubscribed();
    }

    /** The channel of the master that has the lock, unless that channel's slot has moved away from there. */
    private @Nullable ShardMailbox inShardOf(int lockSlot) {
        String master = view.masterOf(lockSlot);
        if (master == null) {
            return null;
        }
        ShardMailbox mailbox = current.get(master);
        return mailbox != null && master.equals(view.masterOf(mailbox.slot)) ? mailbox : null;
    }

    /** Whether a message about a lock in that slot arrives. */
    boolean receivesMessages(int lockSlot) {
        ShardMailbox mailbox = inShardOf(lockSlot);
        return mailbox != null && mailbox.isSubscribed();
    }

    /** The slot of a channel that is subscribed, of the master that has the given slot if possible; -1 if none is. */
    int receivingSlot(int near) {
        if (receivesMessages(near)) {
            return mailboxOf(near);
        }
        return current.values().stream()
                .filter(mailbox -> mailbox.isSubscribed() && mailbox.master.equals(view.masterOf(mailbox.slot)))
                .mapToInt(mailbox -> mailbox.slot)
                .findFirst()
                .orElse(-1);
    }

    boolean isSubscribedSomewhere() {
        return current.values().stream().anyMatch(ShardMailbox::isSubscribed);
    }

    /**
     * Chooses a channel for each master, and subscribes those that are not, or were not confirmed for a while.
     * Completes when these have replied.
     */
    CompletableFuture<?> update(Collection<RedisClusterNode> masters) {
        current.keySet()
                .retainAll(masters.stream().map(RedisClusterNode::getNodeId).toList());
        List<CompletableFuture<?>> replies = new ArrayList<>();
        for (RedisClusterNode master : masters) {
            ShardMailbox mailbox = current.compute(master.getNodeId(), (id, known) -> choose(master, known));
            if (mailbox != null && mailbox.begin(clock.getAsLong())) {
                replies.add(subscribe(mailbox, master.getUri()));
            }
        }
        return CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new));
    }

    private @Nullable ShardMailbox choose(RedisClusterNode master, @Nullable ShardMailbox known) {
        String id = master.getNodeId();
        if (known != null && id.equals(view.masterOf(known.slot))) {
            return known;
        }
        int slot = view.slotOf(master, ThreadLocalRandom.current().nextInt(SlotHash.SLOT_COUNT));
        return slot < 0 ? null : new ShardMailbox(id, slot, messages.channel(slot));
    }

    /**
     * By the master's present address. Lettuce would keep a connection that it has opened by the master's id although
     * another server has that address since.
     */
    private CompletableFuture<?> subscribe(ShardMailbox mailbox, RedisURI address) {
        return ClusterNodes.connection(() -> connection.getConnectionAsync(address.getHost(), address.getPort()))
                .thenCompose(node -> {
                    listenOn(node);
                    mailbox.use(node);
                    return node.async().ssubscribe(mailbox.channel).thenApply(nothing -> node);
                })
                .whenComplete((node, failure) -> {
                    if (failure == null) {
                        subscribed(mailbox, node);
                    } else {
                        failed(mailbox, StageFailures.bare(failure));
                    }
                });
    }

    private void subscribed(ShardMailbox mailbox, StatefulRedisPubSubConnection<String, String> node) {
        if (mailbox.succeeded(node, clock.getAsLong())) {
            if (refused) {
                refused = false;
                log.info("Subscribed to the channels of this instance again");
            }
            listener.subscribed(mailbox.master, mailbox.channel);
        }
    }

    private void failed(ShardMailbox mailbox, Throwable cause) {
        boolean replied = cause instanceof RedisCommandExecutionException;
        String text = String.valueOf(cause.getMessage());
        if (replied && LettuceFailures.isBusy(text)) {
            mailbox.postponed();
        } else {
            mailbox.failed();
        }
        if (replied && text.startsWith("MOVED")) {
            listener.outdated();
        } else if (replied && !refused && !LettuceFailures.isTemporary(text)) {
            refused = true;
            log.warn(
                    "Redis refuses the channel " + mailbox.channel + " (SSUBSCRIBE). Locks work, but a waiting"
                            + " instance sends a request once a second. Grant the user SSUBSCRIBE and the"
                            + " channels with this prefix; servers before Redis 7 have no such channels.",
                    cause);
        } else {
            log.debug("No channel at Redis node " + mailbox.master + ": " + text);
        }
    }

    private void listenOn(StatefulRedisPubSubConnection<String, String> node) {
        if (withListener.add(node)) {
            node.addListener(new NodeMessages(node));
            node.addListener(new NodeState());
        }
    }

    private final class NodeState implements RedisConnectionStateListener {

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
            current.values().stream().filter(mailbox -> mailbox.isOn(broken)).forEach(ShardMailbox::ended);
        }
    }

    /** The messages of a server. Those of a server that is no longer the master of a channel's slot are ignored. */
    private final class NodeMessages extends RedisPubSubAdapter<String, String> {

        private final StatefulRedisPubSubConnection<String, String> node;

        NodeMessages(StatefulRedisPubSubConnection<String, String> node) {
            this.node = node;
        }

        private boolean isOf(ShardMailbox mailbox, String channel) {
            return mailbox.channel.equals(channel) && mailbox.isOn(node);
        }

        @Override
        public void smessage(String channel, String message) {
            if (current.values().stream().anyMatch(mailbox -> isOf(mailbox, channel))) {
                messages.message(channel, message);
            } else {
                log.debug("Dropped a message of a server that is not the master of its channel");
            }
        }

        @Override
        public void sunsubscribed(String channel, long count) {
            current.values().stream().filter(mailbox -> isOf(mailbox, channel)).forEach(ShardMailbox::ended);
            listener.outdated();
        }
    }
}
