/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import io.distributedlock.LockOperations;
import io.distributedlock.LockState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Reports which instance died, which lock it held, when the lease of that lock ends, and that the sale then goes on.
 */
@Component
class DeathWatch {

    /** The locks of the shop, apart from those for single instances. */
    static final List<String> LOCKS = List.of("sale", "stock:" + Sale.WITH_LOCK.product());

    /** After an outage of Redis, the other instances need a moment until they are seen again. */
    private static final long GRACE = Duration.ofSeconds(5).toNanos();

    private static final long REMEMBERED = Duration.ofSeconds(60).toNanos();

    private final Instances instances;

    private final LockOperations locks;

    private final News news;

    /** When the death of an instance was seen, by its id. */
    private final Map<String, Long> deaths = new HashMap<>();

    /** The locks that dead instances still hold. */
    private final Map<String, Instances.Instance> estate = new HashMap<>();

    private volatile List<Instances.Instance> seen = List.of();

    private volatile Set<String> dead = Set.of();

    private long upSince;

    DeathWatch(Instances instances, LockOperations locks, News news) {
        this.instances = instances;
        this.locks = locks;
        this.news = news;
    }

    /** All instances in their last known state. */
    List<Instances.Instance> seen() {
        return seen;
    }

    boolean isDead(String id) {
        return dead.contains(id);
    }

    boolean isDeadOwner(String lockOwner) {
        return seen.stream().anyMatch(instance -> instance.lockOwner().equals(lockOwner) && isDead(instance.id()));
    }

    /** The name of the instance with this owner of locks; the owner itself if it is unknown. */
    String nameOf(String lockOwner) {
        return seen.stream()
                .filter(instance -> instance.lockOwner().equals(lockOwner))
                .map(Instances.Instance::name)
                .findAny()
                .orElse(lockOwner);
    }

    void redisCameUp() {
        upSince = System.nanoTime();
    }

    void look() {
        List<Instances.Instance> all = instances.all();
        boolean settled = System.nanoTime() - upSince > GRACE;
        all.stream()
                .filter(instance -> settled && !instance.alive() && !deaths.containsKey(instance.id()))
                .forEach(this::died);
        all.stream().filter(Instances.Instance::alive).forEach(instance -> deaths.remove(instance.id()));
        dead = all.stream()
                .map(Instances.Instance::id)
                .filter(deaths::containsKey)
                .collect(Collectors.toSet());
        seen = all;
        settleEstate();
        all.stream().filter(instance -> isDead(instance.id())).forEach(this::forgetLater);
    }

    private void died(Instances.Instance instance) {
        deaths.put(instance.id(), System.nanoTime());
        news.bad("Instance " + instance.name() + " died.");
        for (String name : LOCKS) {
            locks.inspect(name)
                    .filter(lock -> lock.owner().equals(instance.lockOwner()))
                    .ifPresent(lock -> leftLocked(instance, lock));
        }
    }

    private void leftLocked(Instances.Instance instance, LockState lock) {
        estate.put(lock.name(), instance);
        news.bad("%s held the lock %s. No other instance gets it until its lease ends, in %.1f s."
                .formatted(instance.name(), lock.name(), lock.remainingLease().toMillis() / 1000.0));
    }

    private void settleEstate() {
        estate.entrySet().removeIf(entry -> {
            String owner = locks.inspect(entry.getKey()).map(LockState::owner).orElse("");
            boolean over = !owner.equals(entry.getValue().lockOwner());
            if (over) {
                news.good("The lease of %s has ended: the lock %s is %s."
                        .formatted(
                                entry.getValue().name(),
                                entry.getKey(),
                                owner.isEmpty() ? "free" : "held by " + nameOf(owner) + ", which goes on"));
            }
            return over;
        });
    }

    private void forgetLater(Instances.Instance instance) {
        if (System.nanoTime() - deaths.getOrDefault(instance.id(), 0L) > REMEMBERED) {
            instances.forget(instance);
            deaths.remove(instance.id());
        }
    }
}
