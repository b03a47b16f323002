/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.NanoClock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The locks whose latest reply came from another server than the master of their slot (ASK), since the slot moves. A
 * script can send messages only to channels of the server that it runs on, so it cannot notify this instance about such
 * a lock: its channel is in the shard that the slot leaves.
 */
final class AskRedirectedLocks {

    /** A lock that is used again after that time gets a new reply, which counts. */
    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final NanoClock clock;

    private final Map<String, Redirection> locks = new ConcurrentHashMap<>();

    /** @param master the one that the slot leaves */
    private record Redirection(@Nullable String master, long at) {}

    AskRedirectedLocks(NanoClock clock) {
        this.clock = clock;
    }

    /** A command for the lock is redirected by ASK. */
    void redirected(String name, @Nullable String master) {
        locks.put(name, new Redirection(master, clock.nanos()));
    }

    /** The master of the slot has replied itself. */
    void replied(String name) {
        if (!locks.isEmpty()) {
            locks.remove(name);
        }
    }

    /** @param masterOf the present master of a lock's slot */
    boolean contains(String name, Function<String, @Nullable String> masterOf) {
        Redirection redirected = locks.isEmpty() ? null : locks.get(name);
        return redirected != null && isValid(redirected, masterOf.apply(name));
    }

    /** Forgets the locks of slots that have moved, and those that are no longer used. */
    void forget(Function<String, @Nullable String> masterOf) {
        locks.entrySet().removeIf(lock -> !isValid(lock.getValue(), masterOf.apply(lock.getKey())));
    }

    private boolean isValid(Redirection redirected, @Nullable String master) {
        return redirected.master() != null
                && redirected.master().equals(master)
                && clock.nanos() - redirected.at() < FORGOTTEN_NANOS;
    }
}
