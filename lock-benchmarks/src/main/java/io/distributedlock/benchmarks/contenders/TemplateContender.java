/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockTemplate;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Our lock, called directly. */
final class TemplateContender implements Contender {

    private final LettuceConnectionFactory connections;

    private final RedisLockTemplate locks;

    TemplateContender(int port, EngineSettings settings) {
        connections = Connections.open(port);
        locks = new RedisLockTemplate(connections, "lock:", settings);
        locks.start();
    }

    @Override
    public Held acquire(String name) {
        return new Hold(locks.acquire(LockRequest.of(name).waitForever()));
    }

    @Override
    public void close() {
        locks.close();
        connections.destroy();
    }

    private record Hold(LockHandle handle) implements Held {

        @Override
        public void release() {
            handle.close();
        }

        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }
    }
}
