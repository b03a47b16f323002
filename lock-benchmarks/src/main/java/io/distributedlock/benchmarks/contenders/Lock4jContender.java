/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * lock4j, configured by hand since its auto-configuration is for Spring Boot 2. It has its defaults, except that it
 * waits longer than 3 s. It has no watchdog, which is off by default and starts a thread per lock.
 */
final class Lock4jContender implements Contender {

    private static final long EXPIRE_MILLIS = 30_000;

    private static final long WAIT_MILLIS = 60_000;

    private final LettuceConnectionFactory connections;

    private final LockTemplate locks = new LockTemplate();

    Lock4jContender(int port) {
        connections = Connections.open(port);
        Lock4jProperties properties = new Lock4jProperties();
        locks.setProperties(properties);
        locks.setExecutors(List.of(new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties)));
        try {
            locks.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Held acquire(String name) {
        LockInfo lock = locks.lock("lock4j:" + name, EXPIRE_MILLIS, WAIT_MILLIS);
        if (lock == null) {
            throw new IllegalStateException("No lock within " + WAIT_MILLIS + " ms");
        }
        return () -> {
            if (!locks.releaseLock(lock)) {
                throw new IllegalStateException("The lock was not held any more");
            }
        };
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
