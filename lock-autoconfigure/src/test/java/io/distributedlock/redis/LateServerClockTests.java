/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.CommandLog;
import io.distributedlock.testing.RespClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One server whose clock is behind the tokens: it was set back, or it is that of a new master. */
class LateServerClockTests extends AbstractFaultTests {

    private static final LockRequest REQUEST = LockRequest.of("late");

    /** Redis assigns the next number to the waiter, since it does not know what another instance assigned locally. */
    @Test
    void aLocalHandOverGetsNoTokenThatTheServerAssignsToTheNextInLine() {
        RedisLockTemplate first = patient();
        RedisLockTemplate second = patient();
        long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 60_000);
        try (RespClient client = redis.connect()) {
            client.call("HSET", "lock:{late}", "t", String.valueOf(ahead));
            client.call("PEXPIRE", "lock:{late}", "60000");
        }
        LockHandle granted = first.acquire(REQUEST);
        CompletableFuture<LockHandle> local =
                first.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
        granted.close();
        LockHandle handedOver = TestCallers.get(local);
        CompletableFuture<LockHandle> inLine =
                second.acquireAsync(REQUEST.waitForever()).toCompletableFuture();
        await().until(() -> first.inspect("late").orElseThrow().waitingInstances() == 1);

        patient().forceRelease("late");

        try (LockHandle next = TestCallers.get(inLine)) {
            assertThat(granted.fencingToken()).isGreaterThan(ahead);
            assertThat(handedOver.fencingToken()).isGreaterThan(granted.fencingToken());
            assertThat(next.fencingToken()).isGreaterThan(handedOver.fencingToken());
        }
    }

    @Test
    void theClockIsRequestedOncePerConnection() {
        RedisLockTemplate locks = proxied(Templates.PATIENT);
        try (CommandLog log = CommandLog.open(redis)) {
            proxy.cut();
            await().ignoreExceptions().until(() -> {
                locks.acquire(REQUEST).close();
                return true;
            });
            for (int i = 0; i < 20; i++) {
                locks.acquire(REQUEST).close();
            }
            assertThat(log.clientCommands()).extracting(CommandLog.Entry::name).containsOnlyOnce("time");
        }
    }
}
