/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockActivity;
import io.distributedlock.LockAvailability;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LockEngine;
import java.util.List;
import java.util.function.Supplier;

/**
 * The messages between instances that are meant for operators. No lock depends on them. An instance sends its label on
 * request, and one that holds a lock for long writes it to Redis for the case that it dies.
 */
final class FleetMessaging implements AutoCloseable {

    private final RedisConnections connections;

    private final String id;

    private final LockEngine engine;

    private final Supplier<String> label;

    private final LineQuery line;

    private final ReplyQueue replies = new ReplyQueue();

    /** A separate queue: an instance with many requests about its locks must still reply to operators. */
    private final ReplyQueue fleetReplies = new ReplyQueue();

    private final InstanceLabels labels = new InstanceLabels();

    private final InstanceMessenger messenger;

    private final InstanceQueries holds;

    private final FleetQueries fleet;

    private final InstanceLabelKey labelKey;

    private final InstanceLabelLookup lookup;

    /** @param label the label of this instance */
    FleetMessaging(
            RedisConnections connections, LockKeys keys, InstanceId id, LockEngine engine, Supplier<String> label) {
        this.connections = connections;
        this.id = id.publicPart();
        this.engine = engine;
        this.label = label;
        FleetDirectory directory = new FleetDirectory(connections, keys);
        this.messenger = new InstanceMessenger(connections, keys, id, directory);
        this.line = new LineQuery(connections, keys, messenger::learn);
        this.holds = new InstanceQueries(messenger, replies, labels, name -> engine.report(name, label.get()));
        this.fleet = new FleetQueries(
                messenger, directory, connections.database(), fleetReplies, labels, this::activity, label);
        this.labelKey =
                new InstanceLabelKey(connections, keys, id, label, engine::isInUse, engine::longestLease, fleetReplies);
        this.lookup = new InstanceLabelLookup(labels, labelKey, fleet);
    }

    /** Called when the connections are open or trying. */
    void start() {
        labelKey.start();
    }

    InstanceLabelLookup labels() {
        return lookup;
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no message between instances
     */
    boolean message(String message) {
        return holds.message(message) || fleet.message(message);
    }

    /**
     * Remembers the address of a channel of an instance: the first part of an acquisition id, as an entry contains it.
     */
    void seen(String address) {
        messenger.learn(address);
    }

    LockActivity activity() {
        return engine.activity(id, connections.isConnected(), connections.isSubscribed());
    }

    /** See {@link io.distributedlock.LockMonitor#availability}. */
    LockAvailability availability() {
        return engine.availability(id);
    }

    HolderLookup holders(LeaseStore store) {
        return new HolderLookup(
                store, messenger, holds, labels, labelKey::of, name -> engine.holder(name, label.get()));
    }

    InstanceQueries holds() {
        return holds;
    }

    FleetQueries fleet() {
        return fleet;
    }

    /** See {@link io.distributedlock.LockMonitor#line}. */
    List<String> line(String lockName, int atMost) {
        return engine.query(lockName, () -> line.of(lockName, atMost));
    }

    @Override
    public void close() {
        labelKey.close();
        replies.close();
        fleetReplies.close();
    }
}
