/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distributedlock.LockHandle;
import io.distributedlock.LockRequest;
import io.distributedlock.testing.RedisCluster;
import io.distributedlock.testing.RespClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The token of a lock may be ahead of the clock of the server that has the lock now. */
class TokensAheadOfTheClockTests extends AbstractLockContract {

    /** Longer than a busy machine takes for the test. */
    private static final int AHEAD_MILLIS = 60_000;

    private static ClusterServer server;

    TokensAheadOfTheClockTests() {
        super(server);
    }

    @BeforeAll
    static void start() {
        server = new ClusterServer(RedisCluster.start(3, 0, Duration.ofSeconds(15)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The latest token came from a clock that was ahead, of a server that has been replaced, for example. */
    @Test
    void aLocalHandOverGetsNoTokenThatTheServerAssignsToTheNextOwner() throws Exception {
        LockRequest request = LockRequest.of("ahead");
        String key = Templates.PREFIX + "{ahead}";
        long ahead = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + AHEAD_MILLIS);
        try (RespClient client = redisOf(key)) {
            client.call("HSET", key, "t", String.valueOf(ahead));
            client.call("PEXPIRE", key, String.valueOf(AHEAD_MILLIS));
        }
        LockHandle granted = first.acquire(request);
        CompletableFuture<LockHandle> waiting =
                first.acquireAsync(request.waitForever()).toCompletableFuture();

        granted.close();
        LockHandle handedOver = waiting.get(20, TimeUnit.SECONDS);
        second.forceRelease("ahead");

        try (LockHandle next = second.acquire(request)) {
            assertThat(granted.fencingToken()).isGreaterThan(ahead);
            assertThat(handedOver.fencingToken()).isGreaterThan(granted.fencingToken());
            assertThat(next.fencingToken()).isGreaterThan(handedOver.fencingToken());
        }
        try (RespClient client = redisOf(key)) {
            // Until the clock has caught up, the free lock keeps its token.
            assertThat(client.number("DEL", key)).isOne();
        }
    }
}
