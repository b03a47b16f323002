/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with the defaults of a single server. Its locks have no lease time, so that the watchdog renews them. */
final class RedissonContender implements Contender {

    private final RedissonClient redisson;

    private final boolean fair;

    RedissonContender(int port, boolean fair) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        this.redisson = Redisson.create(config);
        this.fair = fair;
    }

    @Override
    public Held acquire(String name) {
        RLock lock = fair ? redisson.getFairLock("redisson-fair:" + name) : redisson.getLock("redisson:" + name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
