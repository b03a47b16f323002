/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import io.distributedlock.engine.LeaseStore.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What scripts find in a server: one at a time, a wall clock, channels, expiry, and a key of cancelled ids per lock.
 */
abstract class LeaseServer {

    private record Subscriber(Network network, Listener listener) {}

    private record Tombstones(Set<String> ids, long expireAt) {}

    private final NanoClock clock;

    private final long startedAt;

    private final Map<String, Tombstones> cancelled = new HashMap<>();

    private final Map<String, Subscriber> subscribers = new HashMap<>();

    /** Whether the scripts may count who listens. */
    private boolean counts = true;

    private List<Runnable> outbox = new ArrayList<>();

    /** The server's wall clock when this started; tests set it back. */
    private long epochMicros = TimeUnit.DAYS.toMicros(20_000);

    LeaseServer(NanoClock clock) {
        this.clock = clock;
        this.startedAt = clock.nanos();
    }

    static String id(String instance, long number) {
        return instance + "." + number;
    }

    static String instanceOf(String id) {
        return id.substring(0, id.lastIndexOf('.'));
    }

    static long numberOf(String id) {
        return Long.parseLong(id.substring(id.lastIndexOf('.') + 1));
    }

    /** All of it or nothing; messages go out when it is done. */
    final <T> T script(Supplier<T> steps) {
        T reply;
        List<Runnable> messages;
        synchronized (this) {
            expire();
            reply = steps.get();
            messages = outbox;
            outbox = new ArrayList<>();
        }
        messages.forEach(Runnable::run);
        return reply;
    }

    abstract void expireEntries(long now);

    final void expire() {
        long now = now();
        expireEntries(now);
        cancelled.values().removeIf(tombstones -> tombstones.expireAt() - now <= 0);
    }

    final synchronized void subscribe(String instance, Network network, Listener listener) {
        subscribers.put(instance, new Subscriber(network, listener));
    }

    /** As for a user without the right to PUBSUB. */
    final synchronized void refuseCounts() {
        counts = false;
    }

    final boolean counts() {
        return counts;
    }

    /** Whether the instance of that id is known to hear messages. */
    final boolean listens(String id) {
        return counts && isSubscribed(id);
    }

    private boolean isSubscribed(String id) {
        Subscriber subscriber = subscribers.get(instanceOf(id));
        return subscriber != null && subscriber.network().isSubscribed();
    }

    final void publish(String id, StoreMessage message) {
        Subscriber subscriber = subscribers.get(instanceOf(id));
        if (subscriber != null && isSubscribed(id)) {
            outbox.add(() -> subscriber.network().deliver(message, () -> message.tell(subscriber.listener())));
        }
    }

    // ---- time

    final long now() {
        return clock.nanos();
    }

    final synchronized void setTimeBack(Duration by) {
        epochMicros -= by.toNanos() / 1_000;
    }

    final long micros() {
        return epochMicros + (now() - startedAt) / 1_000;
    }

    final long nextToken(long last, long floor) {
        return Math.max(micros(), Math.max(last, floor) + 1);
    }

    // ---- ids that were cancelled

    final boolean isCancelled(String name, String id) {
        Tombstones tombstones = cancelled.get(name);
        return tombstones != null && tombstones.ids().contains(id);
    }

    /** One key for all cancelled ids of a lock, with one expiry. */
    final void bury(String name, String id, long millis) {
        Tombstones old = cancelled.get(name);
        Set<String> ids = new HashSet<>(old == null ? Set.of() : old.ids());
        ids.add(id);
        long expireAt = now() + TimeUnit.MILLISECONDS.toNanos(millis);
        cancelled.put(
                name, new Tombstones(ids, old == null || old.expireAt() - expireAt < 0 ? expireAt : old.expireAt()));
    }

    final void forgetCancelled() {
        cancelled.clear();
    }

    final List<String> cancelled() {
        List<String> all = new ArrayList<>();
        cancelled.forEach((name, tombstones) -> all.add(name + " without " + tombstones.ids()));
        return all;
    }
}
