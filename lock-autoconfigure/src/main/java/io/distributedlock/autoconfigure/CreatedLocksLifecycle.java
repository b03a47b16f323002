/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.autoconfigure;

import io.distributedlock.redis.RedisLockTemplate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Starts and stops locks whose bean does not do it, since an object that is no lifecycle wraps them. */
final class CreatedLocksLifecycle implements SmartLifecycle {

    private final @Nullable RedisLockTemplate locks;

    /** @param locks null if the context starts and stops them itself, or there are none */
    CreatedLocksLifecycle(@Nullable RedisLockTemplate locks) {
        this.locks = locks;
    }

    @Override
    public void start() {
        if (locks != null) {
            locks.start();
        }
    }

    @Override
    public void stop() {
        if (locks != null) {
            locks.stop();
        }
    }

    @Override
    public boolean isRunning() {
        return locks != null && locks.isRunning();
    }

    @Override
    public int getPhase() {
        return locks == null ? DEFAULT_PHASE : locks.getPhase();
    }
}
