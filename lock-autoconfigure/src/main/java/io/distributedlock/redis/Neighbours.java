/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.LockActivity;
import io.distributedlock.engine.LeaseStore;
import io.distributedlock.engine.LockEngine;
import java.util.List;
import java.util.function.Supplier;

/**
 * What this instance and the others tell each other for the sake of operators. No lock depends on it. What they are
 * called is in no key: an instance says it when it is asked, so nothing has to be written, renewed and cleaned up, and
 * a free lock leaves nothing in Redis.
 */
final class Neighbours implements AutoCloseable {

    private final RedisConnections connections;

    private final String id;

    private final LockEngine engine;

    private final Supplier<String> label;

    private final WaitingLine line;

    private final AnswerQueue answers = new AnswerQueue();

    /** Apart from the others: an instance whose locks are much asked for must still show itself to an operator. */
    private final AnswerQueue fleetAnswers = new AnswerQueue();

    private final InstanceLabels labels = new InstanceLabels();

    private final InstanceMessenger messenger;

    private final InstanceQueries holds;

    private final FleetQueries fleet;

    /** @param label what operators call this instance */
    Neighbours(RedisConnections connections, LockKeys keys, InstanceId id, LockEngine engine, Supplier<String> label) {
        this.connections = connections;
        this.id = id.publicPart();
        this.engine = engine;
        this.label = label;
        this.line = new WaitingLine(connections, keys);
        this.messenger = new InstanceMessenger(connections, keys, id);
        this.holds = new InstanceQueries(messenger, answers, labels, name -> engine.report(name, label.get()));
        this.fleet = new FleetQueries(
                messenger, new FleetDirectory(connections, keys), fleetAnswers, labels, this::activity, label);
    }

    /**
     * Called on the network's thread.
     *
     * @return false if it is no message between instances
     */
    boolean message(String message) {
        return holds.message(message) || fleet.message(message);
    }

    LockActivity activity() {
        return engine.activity(id, connections.isConnected(), connections.isSubscribed());
    }

    HolderLookup holders(LeaseStore store) {
        return new HolderLookup(store, messenger, holds, labels, name -> engine.holder(name, label.get()));
    }

    InstanceQueries holds() {
        return holds;
    }

    FleetQueries fleet() {
        return fleet;
    }

    /** See {@link io.distributedlock.LockMonitor#line}. */
    List<String> line(String lockName, int atMost) {
        return engine.ask(lockName, () -> line.of(lockName, atMost));
    }

    @Override
    public void close() {
        answers.close();
        fleetAnswers.close();
    }
}
