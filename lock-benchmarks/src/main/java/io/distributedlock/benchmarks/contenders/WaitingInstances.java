/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.benchmarks.contenders;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.LockState;
import io.distributedlock.redis.RedisLockTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Instances of the lock of this library in this JVM, each with its engine and its connections. All wait for one lock.
 */
public final class WaitingInstances implements AutoCloseable {

    private static final LockRequest REQUEST = LockRequest.of("crowd").waitForever();

    private static final int MOST_LOOKS = 600;

    private final LettuceConnectionFactory connections;

    private final RedisLockTemplate holder;

    private final LockHandle handle;

    private final List<RedisLockTemplate> instances = new ArrayList<>();

    private final List<CompletableFuture<LockHandle>> waits = new ArrayList<>();

    private WaitingInstances(int port) {
        connections = Connections.open(port);
        holder = open();
        handle = holder.acquire(REQUEST);
    }

    public static WaitingInstances start(int port, int count) {
        WaitingInstances all = new WaitingInstances(port);
        for (int i = 0; i < count; i++) {
            RedisLockTemplate instance = all.open();
            all.instances.add(instance);
            all.waits.add(instance.acquireAsync(REQUEST).toCompletableFuture());
        }
        return all;
    }

    private RedisLockTemplate open() {
        RedisLockTemplate instance = new RedisLockTemplate(connections, "lock:", OurSettings.DEFAULT);
        instance.start();
        return instance;
    }

    /** @throws IllegalStateException if not all instances wait within a minute */
    public void awaitAllInLine() {
        for (int i = 0; i < MOST_LOOKS; i++) {
            int waiting =
                    holder.inspect("crowd").map(LockState::waitingInstances).orElse(0);
            if (waiting == instances.size()) {
                return;
            }
            pause(TimeUnit.MILLISECONDS, 100);
        }
        throw new IllegalStateException("Not all instances wait in the line");
    }

    /** Sleeps while the instances wait. */
    public void stay(int seconds) {
        pause(TimeUnit.SECONDS, seconds);
    }

    private static void pause(TimeUnit unit, long time) {
        try {
            unit.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        waits.forEach(wait -> wait.cancel(false));
        handle.close();
        instances.forEach(RedisLockTemplate::close);
        holder.close();
        connections.destroy();
    }
}
