/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.engine;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A {@link RetryRateLimiter} for each part of the store that was unavailable: a dead part does not slow the others
 * down.
 */
final class ShardRetries {

    /** Parts come and go with the servers of a store, so their number has a bound. */
    private static final int MAX_SHARDS = 1_024;

    private final LeaseStore store;

    private final ConcurrentHashMap<Object, RetryRateLimiter> limiters = new ConcurrentHashMap<>();

    ShardRetries(LeaseStore store) {
        this.store = store;
    }

    /** See {@link RetryRateLimiter#failed}. */
    void failed(String name) {
        if (limiters.size() > MAX_SHARDS) {
            limiters.clear();
        }
        limiters.computeIfAbsent(store.shard(name), shard -> new RetryRateLimiter())
                .failed();
    }

    /** See {@link RetryRateLimiter#succeeded}. */
    void succeeded(String name) {
        RetryRateLimiter limiter = limiters.isEmpty() ? null : limiters.get(store.shard(name));
        if (limiter != null) {
            limiter.succeeded();
        }
    }

    /** See {@link RetryRateLimiter#tryAcquirePermit}. */
    boolean tryAcquirePermit(String name, long now) {
        RetryRateLimiter limiter = limiters.isEmpty() ? null : limiters.get(store.shard(name));
        return limiter == null || limiter.tryAcquirePermit(now);
    }
}
