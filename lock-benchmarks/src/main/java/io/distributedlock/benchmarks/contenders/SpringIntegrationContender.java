/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The registry with its defaults. It does not renew unless it is given a scheduler. */
final class SpringIntegrationContender implements Contender {

    private final LettuceConnectionFactory connections;

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    private final RedisLockRegistry registry;

    SpringIntegrationContender(int port, RedisLockType type, boolean renewed) {
        connections = Connections.open(port);
        scheduler.setDaemon(true);
        scheduler.initialize();
        registry = new RedisLockRegistry(connections, "spring-integration-" + type);
        registry.setRedisLockType(type);
        if (renewed) {
            registry.setRenewalTaskScheduler(scheduler);
        }
    }

    @Override
    public Held acquire(String name) {
        Lock lock = registry.obtain(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        registry.destroy();
        scheduler.shutdown();
        connections.destroy();
    }
}
