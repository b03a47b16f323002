/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockTemplate;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The lock of this library, called directly. */
final class TemplateContender implements Contender {

    private static final Duration ACKNOWLEDGE_TIMEOUT = Duration.ofSeconds(1);

    private final LettuceConnectionFactory connections;

    private final RedisLockTemplate locks;

    TemplateContender(int port, EngineSettings settings) {
        this(Connections.open(port), settings, 0);
    }

    private TemplateContender(LettuceConnectionFactory connections, EngineSettings settings, int acknowledge) {
        this.connections = connections;
        this.locks = new RedisLockTemplate(
                connections, "lock:", settings, event -> {}, true, () -> null, acknowledge, ACKNOWLEDGE_TIMEOUT);
        locks.start();
    }

    /** @param port the port of any server of the cluster */
    static TemplateContender inCluster(int port) {
        return new TemplateContender(Connections.openCluster(port), OurSettings.DEFAULT, 0);
    }

    /** Opens a contender whose grants are confirmed by a replica. */
    static TemplateContender acknowledged(int port) {
        return new TemplateContender(Connections.open(port), OurSettings.DEFAULT, 1);
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
