/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.LockOperations;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * The instances of the shop, in Redis where all of them see each other. An instance is alive as long as it renews its
 * own key or listens to its own channel. A killed process does neither; a slow process still listens.
 */
@Component
class Instances implements SmartLifecycle {

    private static final String KEY = "shop:instances";

    private static final Duration ALIVE = Duration.ofSeconds(2);

    private final String id = UUID.randomUUID().toString();

    private final LockOperations locks;

    private final StringRedisTemplate redis;

    private final Listeners listeners;

    private final HashOperations<String, String, String> entries;

    private final String name;

    private volatile @Nullable String lockOwner;

    private volatile boolean running;

    /**
     * One instance.
     *
     * @param id the id of the instance in Redis
     * @param name the name of the instance on the page
     * @param lockOwner the public id under which it holds its locks
     */
    record Instance(String id, String name, String lockOwner, boolean alive) {}

    Instances(LockOperations locks, StringRedisTemplate redis, Listeners listeners, ShopProperties properties) {
        this.locks = locks;
        this.listeners = listeners;
        this.redis = redis;
        this.entries = redis.opsForHash();
        this.name = properties.instance();
    }

    String ownId() {
        return id;
    }

    String ownChannel() {
        return channel(id);
    }

    /** Shows the other instances that this instance is alive. */
    void renew() {
        entries.put(KEY, id, lockOwner() + " " + name);
        redis.expire(KEY, Ledger.KEPT);
        redis.opsForValue().set(alive(id), "", ALIVE);
    }

    /** The live instances, and the dead instances that are not removed yet, by name. */
    List<Instance> all() {
        return entries.entries(KEY).entrySet().stream()
                .map(this::instance)
                .sorted(Comparator.comparing(Instance::name))
                .toList();
    }

    void forget(Instance dead) {
        entries.delete(KEY, dead.id());
    }

    private Instance instance(Map.Entry<String, String> entry) {
        String[] words = entry.getValue().split(" ", 2);
        String other = entry.getKey();
        return new Instance(other, words[1], words[0], other.equals(id) || isAlive(other));
    }

    private boolean isAlive(String other) {
        return Boolean.TRUE.equals(redis.hasKey(alive(other))) || listens(other);
    }

    private boolean listens(String other) {
        return listeners.of(channel(other)) > 0;
    }

    /** Determines the id under which this instance holds its locks: acquires a lock and reads its owner. */
    private String lockOwner() {
        String known = lockOwner;
        if (known == null) {
            known = locks.execute(
                    LockRequest.of("instance:" + id),
                    hold -> locks.inspect(hold.name()).map(LockState::owner).orElseThrow());
            lockOwner = known;
        }
        return known;
    }

    @Override
    public void start() {
        running = true;
    }

    /**
     * Removes this instance, so that no other instance reports it as dead. The last instance removes the shop's keys.
     */
    @Override
    public void stop() {
        running = false;
        try {
            entries.delete(KEY, id);
            redis.delete(alive(id));
            if (all().stream().noneMatch(Instance::alive)) {
                redis.delete(KEY);
                redis.delete(Ledger.KEYS);
            }
        } catch (RuntimeException ex) {
            // Redis is already gone: its data is gone, too, or the keys expire by themselves.
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the connections of the application, which stop in phase 0, and after everything that sells. */
    @Override
    public int getPhase() {
        return 1;
    }

    private static String alive(String id) {
        return "shop:alive:" + id;
    }

    private static String channel(String id) {
        return "shop:instance:" + id;
    }
}
